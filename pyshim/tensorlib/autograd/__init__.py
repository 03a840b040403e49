"""What concerns gradients. Modes only, so far: there is no tape yet."""
