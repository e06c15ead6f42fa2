"""Records of all sources, merged into entity tables with derived metrics."""
