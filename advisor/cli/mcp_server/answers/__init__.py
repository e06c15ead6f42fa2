"""What the tools answer: what the commands write as JSON, made short."""
