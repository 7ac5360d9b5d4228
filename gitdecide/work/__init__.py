"""The user's repository around the log."""
