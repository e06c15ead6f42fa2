"""What `advisor rules` can do. Each module is one action: a SUMMARY, `add_arguments` and `run`."""
