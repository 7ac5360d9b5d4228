"""The log in git: where entries lie, how they are read and appended."""
