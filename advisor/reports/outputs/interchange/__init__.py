"""What the formats for machines share: fingerprints that outlive edits, and values that JSON can hold."""
