"""The walk through one kernel: values as affine forms, accesses, loops, branches."""
