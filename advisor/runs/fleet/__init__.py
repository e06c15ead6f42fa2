"""Work on a cluster of dask.distributed: what connects to it, and what its workers do."""
