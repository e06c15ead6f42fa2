"""A history in a database of PostgreSQL, through psycopg."""
