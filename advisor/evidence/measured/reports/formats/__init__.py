"""One module for each format of a report: NAME, `recognises` and `read`."""
