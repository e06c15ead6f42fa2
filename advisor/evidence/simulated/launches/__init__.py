"""Launches of kernels that were seen while a program ran: their record, and what the SIMT machine counted."""
