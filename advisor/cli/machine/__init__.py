"""What this machine has of what the program can use."""
