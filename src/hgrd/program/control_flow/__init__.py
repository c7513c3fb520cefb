"""Control flow of functions: basic blocks, dominators, irregular flow and its predication."""
