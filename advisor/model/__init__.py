"""What travels through a check: findings, records, texts, settings, devices; it knows nothing of kernels."""
