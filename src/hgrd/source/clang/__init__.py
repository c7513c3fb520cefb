"""The clang process: finding it, its command line, its AST, diagnostics, precompiled headers."""
