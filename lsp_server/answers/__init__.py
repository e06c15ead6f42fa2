"""Findings as diagnostics, hovers, actions and pages."""
