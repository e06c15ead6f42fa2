"""Messages between the client and this program: streams, positions, edits, the dispatch to handlers."""
