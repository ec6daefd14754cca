"""The simulated table: patrons, dealing, settlement and the shoes of a day."""
