"""What host code copies between host and device."""
