"""What every process of the product has: its settings and what follows from them."""
