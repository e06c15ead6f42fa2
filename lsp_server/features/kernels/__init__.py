"""What is offered in Python files."""
