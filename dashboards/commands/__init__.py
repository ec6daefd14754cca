"""Commands: each parses its words, asks for a document and hands it to a renderer."""
