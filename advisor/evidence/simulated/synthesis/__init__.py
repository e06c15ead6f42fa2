"""Launches that are made up, for kernels of which no launch is known: exact counts where these hold anyway."""
