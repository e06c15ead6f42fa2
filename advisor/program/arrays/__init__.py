"""What host code says of its arrays: type, sizes, order of elements, place."""
