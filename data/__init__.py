"""What is remembered: records, one schema for SQLite and PostgreSQL, and the store that asks and answers.

Knows nothing of Discord.
"""
