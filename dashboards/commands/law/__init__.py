"""Law and filings."""
