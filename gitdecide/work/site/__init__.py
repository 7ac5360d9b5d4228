"""The site: every record of the log as a page, in a folder that may hold files of others as well."""
