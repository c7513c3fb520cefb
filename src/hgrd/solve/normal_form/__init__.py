"""Normal form of a query: claims on polynomials, with bounds and lemmas."""
