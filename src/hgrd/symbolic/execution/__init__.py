"""Execution of expressions, calls and statements."""
