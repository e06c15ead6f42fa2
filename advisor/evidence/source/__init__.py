"""Evidence from source text alone: nothing is compiled, imported or run."""
