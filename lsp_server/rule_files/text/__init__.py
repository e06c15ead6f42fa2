"""The text of a rule file as words, items and names, whatever state it is in."""
