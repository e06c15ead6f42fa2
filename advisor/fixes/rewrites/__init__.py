"""The fixes, each a module called as its data file in `knowledge/fixes/`."""
