"""What the editor is told about rule files; a text that is being written is broken at most times."""
