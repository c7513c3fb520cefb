"""Steps of the decision procedure: each tries to answer a query."""
