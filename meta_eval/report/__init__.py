"""What a report says: building it, its rows and tables, how sure it is, and published numbers beside it."""
