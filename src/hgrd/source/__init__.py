"""From files on disk to the program IR, by way of clang."""
