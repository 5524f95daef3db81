"""How much more data would separate systems."""
