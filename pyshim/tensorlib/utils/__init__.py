"""Small helpers of the package."""
