"""How the time and memory of `hgrd check` grow with the size of a kernel."""
