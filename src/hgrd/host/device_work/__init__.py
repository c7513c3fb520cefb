"""Work on the device that library calls make, and the order that they put it in."""
