"""Documents: what is shown, as typed data, before anything renders it."""
