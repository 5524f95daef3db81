"""May it ship? A new run against a baseline: PASS, FAIL or CANNOT TELL."""
