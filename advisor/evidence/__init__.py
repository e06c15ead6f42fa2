"""The sources of evidence, none of which imports another one, and the metrics made of all of them."""
