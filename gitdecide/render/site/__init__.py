"""A site of static pages, as values and text: nothing here reads a log or writes a file."""
