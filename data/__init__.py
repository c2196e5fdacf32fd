"""The database: records, one schema for SQLite and PostgreSQL, and the store with its queries.

Knows nothing of Discord.
"""
