"""Fixes of which thread does what: bounds, strides, reductions, barriers."""
