"""What an edit of sources changes: findings and predicted times."""
