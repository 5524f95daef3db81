"""Which instances are hard."""
