"""Instructions of PTX and of machine code, counted by source line."""
