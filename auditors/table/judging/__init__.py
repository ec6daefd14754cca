"""What is wrong with cards, wagers, payments, seats and vigorish of a coup."""
