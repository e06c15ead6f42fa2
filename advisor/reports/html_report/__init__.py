"""The history of a project as one HTML page that needs no network, no script and no other file."""
