"""Engines: they fold blocks of a table into tallies."""
