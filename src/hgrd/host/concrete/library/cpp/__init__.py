"""Models of the C++ library and of Thrust in the concrete run."""
