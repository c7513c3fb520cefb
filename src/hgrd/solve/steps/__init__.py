"""Steps of a decision: each tries to answer a query."""
