"""The concrete run of a program, as far as no input decides what it does."""
