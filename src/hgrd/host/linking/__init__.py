"""Translation units as one program: who calls, launches and writes what, without execution."""
