"""What a controller says of itself: hits, adjustments, parameters, rates and transfers."""
