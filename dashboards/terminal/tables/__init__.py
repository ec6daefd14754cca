"""Documents written for people, one module a document."""
