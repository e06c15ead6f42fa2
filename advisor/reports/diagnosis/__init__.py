"""Diagnosis of one kernel: what it waits for, the causes in the documents' order, and the actions ranked."""
