"""Terminal: documents as text for people."""
