import os
import signal

from hgrd.engine.pool import Died, run_each


def squared(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 4:
        os._exit(7)
    return number * number


def test_results_come_in_order_and_one_death_costs_one_result():
    assert run_each(squared, [1, 2, 3, 4, 5], 2) == [1, 4, Died(-9), Died(7), 25]


def test_nothing_to_do():
    assert run_each(squared, [], 4) == []
