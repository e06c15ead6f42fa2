"""Where arrays lie in host code, and the loops around what is done with them."""
