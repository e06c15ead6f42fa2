"""The driver's calls, by what they are about."""
