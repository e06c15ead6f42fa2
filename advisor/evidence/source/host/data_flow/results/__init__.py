"""What becomes of the arrays that launches fill, and what they had before."""
