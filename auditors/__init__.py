"""What should be: the law as data, settlement, odds and checks; pure, without input or output."""
