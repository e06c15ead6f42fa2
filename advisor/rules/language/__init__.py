"""The rule language: text to syntax trees to drafts, and back to text."""
