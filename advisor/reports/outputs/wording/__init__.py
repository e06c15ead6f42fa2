"""How numbers and counts read in every format for people."""
