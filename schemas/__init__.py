"""What is said: cards, money, odds, findings, rules submissions, events and records."""
