"""Loop summaries: one iteration stands for all of them."""
