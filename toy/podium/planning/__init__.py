"""How much more data would tell systems apart."""
