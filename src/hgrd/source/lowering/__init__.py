"""From clang's AST to the IR: one module for each syntactic category."""
