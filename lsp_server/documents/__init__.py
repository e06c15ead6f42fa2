"""What the editor holds open, notebooks as one text, and the other files of the workspace."""
