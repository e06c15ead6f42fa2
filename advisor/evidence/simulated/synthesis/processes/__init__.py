"""Launches that are made up run in processes of their own: what they may use, and how they end."""
