"""Which tasks and instances decide."""
