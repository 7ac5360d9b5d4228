"""The index: what the records say, in SQLite; made from the log at any time, and never authoritative."""
