"""The fixes, each a module that says at its top what it is called and when results stay the same."""
