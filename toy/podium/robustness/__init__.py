"""What would change the winner."""
