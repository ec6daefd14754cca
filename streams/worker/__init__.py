"""The stream worker: Faust delivers and balances, a host per partition folds."""
