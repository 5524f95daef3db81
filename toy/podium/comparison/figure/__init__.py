"""The forest plot."""
