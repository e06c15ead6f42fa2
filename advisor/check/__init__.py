"""The main path of a check: from files to a report."""
