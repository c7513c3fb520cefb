"""Results: sites, witnesses and evidence of findings."""
