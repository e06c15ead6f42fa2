"""Texts that commands print for reading: tables and a rule's page."""
