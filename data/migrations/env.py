"""How Alembic runs the steps: on the connection it is handed, inside that connection's transaction."""

from alembic import context

from data.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
