"""How far judges agree with people, and whom they favour."""
