"""Documents about audited files: summaries and previews."""
