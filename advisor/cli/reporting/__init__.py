"""What `report`, `diff` and `budget` print, and which runs they are about."""
