"""Proof of fixes: applied to a copy, run before and after, outputs and metrics compared."""
