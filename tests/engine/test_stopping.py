import signal

import pytest

from hgrd.engine.run.stopping import SIGNALS, hold_back, stoppable


@pytest.mark.parametrize("number", SIGNALS)
def test_signals_wait_until_the_run_can_be_stopped(number: signal.Signals):
    masked, before = signal.pthread_sigmask(signal.SIG_BLOCK, ()), {n: signal.getsignal(n) for n in SIGNALS}
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
        hold_back()
        signal.raise_signal(number)  # to this thread, which holds it back
        reached = "before"
        with pytest.raises(KeyboardInterrupt), stoppable():
            reached = "inside"
        assert reached == "before"
        assert number in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        for n, handler in before.items():
            signal.signal(n, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
