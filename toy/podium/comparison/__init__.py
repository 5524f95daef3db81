"""How much better one system is than another."""
