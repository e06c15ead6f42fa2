"""Which lines of a unit compute in float64, and why."""
