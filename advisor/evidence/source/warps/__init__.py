"""What the 32 lanes of a warp do with an access: addresses, sectors, banks."""
