"""One module per section; test names begin with the paragraph that they show."""
