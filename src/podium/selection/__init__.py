"""Choose a part of a benchmark that tells as much as all of it: which items, and what it says of a new system."""
