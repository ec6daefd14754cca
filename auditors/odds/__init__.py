"""Exact odds of every wager: the rules that settle, weighed by all deals of a full shoe."""
