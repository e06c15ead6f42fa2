"""Checks of the text that an editor holds, and what is kept from one state of it to the next."""
