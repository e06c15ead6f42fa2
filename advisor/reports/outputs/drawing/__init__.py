"""What the formats for people draw with: colours, wrapped paragraphs, excerpts of source code."""
