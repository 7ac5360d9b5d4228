"""Ways to git: the user's own program, and two ways to its objects."""
