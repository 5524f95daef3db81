"""From files, frames and other tools' output to `Scores`."""
