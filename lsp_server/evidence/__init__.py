"""Evidence beyond the source: compiled, recorded and run in processes of their own."""
