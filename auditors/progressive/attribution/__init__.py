"""The smallest cause that explains a difference between a meter and its ledger exactly."""
