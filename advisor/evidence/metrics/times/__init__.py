"""The time model: what the counts of a launch need of a device, and what other counts would."""
