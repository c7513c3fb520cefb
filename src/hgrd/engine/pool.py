"""Process pool: runs a function over items, each in a process of its own, so that a crash loses one result only."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar

from msgspec import Struct

Item = TypeVar("Item")
Result = TypeVar("Result")


class Died(Struct, frozen=True):
    """The process ended without a result; a negative exit code is the signal that killed it."""

    exit_code: int | None


class _Pipe(Protocol):
    def fileno(self) -> int: ...
    def send(self, obj: Any, /) -> None: ...
    def recv(self) -> Any: ...
    def close(self) -> None: ...


def run_each(function: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> list[Result | Died]:
    """Results in the order of the items; at most `jobs` processes at a time.

    Function, items and results must pickle.  Processes still running when this is interrupted are killed.
    """
    results: dict[int, Result | Died] = {}
    running: dict[int, tuple[int, _Pipe, BaseProcess]] = {}
    waiting = list(enumerate(items))[::-1]
    try:
        while waiting or running:
            while waiting and len(running) < max(jobs, 1):
                index, item = waiting.pop()
                pipe, process = _start(function, item)
                running[pipe.fileno()] = (index, pipe, process)
            for ready in wait(list(running)):
                assert isinstance(ready, int)
                index, pipe, process = running.pop(ready)
                results[index] = _finish(pipe, process)
    finally:
        for _, _, process in running.values():
            process.kill()
    return [results[index] for index in range(len(items))]


def _start(function: Callable[[Item], Result], item: Item) -> tuple[_Pipe, BaseProcess]:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_work, args=(sender, function, item))
    process.start()
    sender.close()
    return receiver, process


def _work(sender: _Pipe, function: Callable[[Item], Result], item: Item) -> None:
    sender.send(function(item))
    sender.close()


def _finish(receiver: _Pipe, process: BaseProcess) -> Any:
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        return Died(process.exitcode)
    finally:
        receiver.close()
        process.join()
