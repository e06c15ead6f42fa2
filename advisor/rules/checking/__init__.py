"""Rule files put together and checked: names, units, definitions, computed metrics."""
