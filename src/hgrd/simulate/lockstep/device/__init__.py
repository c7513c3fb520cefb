"""Device functions of the vectorised executor."""
