"""Build descriptions: compile_commands.json, CMakeLists.txt, Makefile, flags."""
