import os
import signal
import time

from hgrd.engine.run.processes import Ended, Pipe, Running, readable
from hgrd.engine.run.slots import Slots


def squares(pipe: Pipe) -> None:
    while (number := pipe.recv()) is not None:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 4:
            os._exit(7)
        pipe.send(number * number)


def heard(process: Running, *sent: int | None) -> list[object]:
    """All that comes back for what is sent, the end included."""
    for item in sent:
        process.send(item)
    said = [process.receive()]
    while not isinstance(said[-1], Ended):
        said.append(process.receive())
    return said


def test_what_a_process_sends_comes_in_order_and_then_its_end():
    assert heard(Running(squares), 1, 2, 5, None) == [1, 4, 25, Ended()]


def test_a_death_loses_only_what_was_not_sent():
    assert heard(Running(squares), 2, 3) == [4, Ended("the analysis process died (signal 9; out of memory?)")]
    assert heard(Running(squares), 4) == [Ended("the analysis process died (exit code 7; out of memory?)")]


def test_what_is_sent_to_a_dead_process_is_lost():
    process = Running(squares)
    process.send(4)
    time.sleep(0.2)
    process.send(1)
    assert heard(process) == [Ended("the analysis process died (exit code 7; out of memory?)")]


def test_only_what_has_something_to_say_is_readable():
    one, other = Running(squares), Running(squares)
    other.send(2)
    assert readable([one, other], 10) == [other]
    assert other.receive() == 4
    assert readable([one, other], 0) == []
    one.kill()
    other.kill()


def test_slots_are_taken_once_each():
    slots = Slots(2)
    assert [slots.take() for _ in range(3)] == [True, True, False]
    assert readable([slots], 0) == []
    slots.put_back()
    assert readable([slots], 0) == [slots]
    assert [slots.take(), slots.take()] == [True, False]
    slots.close()
