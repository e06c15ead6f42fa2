"""What is offered in rule files."""
