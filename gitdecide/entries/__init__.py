"""The vocabulary of the log, pure: no git, no files, no clock."""
