"""Scopes, the definitions that reach a place, and what names refer to across modules."""
