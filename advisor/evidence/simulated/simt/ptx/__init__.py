"""PTX as data: reading it, its control flow, what its registers hold."""
