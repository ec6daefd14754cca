"""Documents about the law, filings, odds and the settlement of one coup."""
