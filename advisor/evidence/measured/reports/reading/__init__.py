"""Files of profilers read piece by piece: CSV, JSON, SQLite, numbers and units."""
