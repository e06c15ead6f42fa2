"""What host code measures by its clock, and whether it waits for the device meanwhile."""
