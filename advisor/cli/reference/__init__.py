"""Commands about what this program knows: devices, metrics, rules."""
