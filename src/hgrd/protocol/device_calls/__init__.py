"""Device functions and what they mean to a protocol, one module a family."""
