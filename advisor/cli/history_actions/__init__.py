"""The actions of `advisor history`: each module is one, with SUMMARY, `add_arguments` and `run`."""
