"""What is in a table before anybody ranks it."""
