"""Events in time: stretches, the launches among them, the ranges around these, and their sums."""
