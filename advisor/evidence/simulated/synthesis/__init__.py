"""Launches that are made up, for kernels of which no launch is known: counts that hold anyway."""
