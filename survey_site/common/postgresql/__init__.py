POOLER = (
    "Where a pooler before the database gives each transaction another connection, end DATABASE_URL with "
    "?DISABLE_SERVER_SIDE_CURSORS=true."
)
"""What to do where something that was left in a connection is gone."""
