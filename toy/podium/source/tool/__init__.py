"""Results as other tools write them, one file a tool."""
