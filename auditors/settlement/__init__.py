"""Settlement of one coup: from its facts, rules and terms to amounts due and checked claims."""
