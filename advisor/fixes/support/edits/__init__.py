"""Edits of text at the places of syntax nodes."""
