import pytest

pytest.register_assert_rewrite("tests.checking")  # its asserts are of tests, and say what differs
