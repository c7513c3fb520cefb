"""Source text before clang reads it: includes, implied headers, missing macros, repairs."""
