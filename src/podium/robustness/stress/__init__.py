"""Stresses, one kind a file: ways in which scores might have come out differently; `podium.stresses` lists them."""
