"""The parts of `advisor check` around the check itself: options, progress, baseline, writing the report."""
