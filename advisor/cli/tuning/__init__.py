"""The parts of `advisor tune` around the search itself: what is printed, and writing the edit."""
