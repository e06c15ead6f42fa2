"""What a kernel asks of the bounds of its arrays and loops, and what it leaves open."""
