"""The database layer: records, one schema for SQLite and PostgreSQL, and the store with its queries.

Has no knowledge of Discord's API.
"""
