"""Runs over programs in processes of their own: what they give as it comes, and an end that leaves nothing behind."""
