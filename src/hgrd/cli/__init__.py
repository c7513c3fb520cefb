"""Command line: options, commands and their exit status."""
