"""Two threads that stand for all: the two-thread reduction."""
