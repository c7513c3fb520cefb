"""Containers of the C++ library and of Thrust: where their elements are, and copies of them."""
