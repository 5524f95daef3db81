"""What a benchmark is worth: what each of its tasks tells, and which tell nothing or the same."""
