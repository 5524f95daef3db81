"""What pictures share: canvases, letters, legends, files."""
