"""Memory of symbolic values: lvalues, loads and stores, bit-fields."""
