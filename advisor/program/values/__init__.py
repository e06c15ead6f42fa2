"""Constants that the source fixes, followed through names, calls and modules."""
