"""What stresses do to rankings."""
