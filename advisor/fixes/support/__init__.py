"""What fixes ask and write with."""
