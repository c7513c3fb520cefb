"""Escapes: what code that is not followed may write and call."""
