"""The program model: what the user's source says of its names, values, arrays, kernels and launches.

Nothing of it is imported or executed.
"""
