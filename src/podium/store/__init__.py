"""Tables with versions in a folder or on object storage: files of rows, and a log of what each version holds."""
