"""What grids cover of the data, for sizes that the source names and does not fix."""
