"""What is certain of values, elements and iterations."""
