"""The simulated controller of progressives: its meters, its acts and what it says of them."""
