"""git-decide keeps the decisions of a repository, with their evidence, inside the repository."""

__version__ = "0.1.0"
