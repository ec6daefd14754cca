"""The exact ledger of a progressive: state, movements, gaming days and double entry."""
