"""What every floor uses and what knows nothing about scores: errors, checks, words, files, seeds, cores."""
