"""The item response model: items and abilities on one scale, and how well they are known."""
