"""Entry point of `hgrd`: one message on standard error for what cannot be done, and never a traceback."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext

from hgrd.cli.arguments import UsageError, parser
from hgrd.cli.messages import fail
from hgrd.engine.run.stopping import hold_back, stoppable


def entry() -> None:
    """The console script."""
    hold_back()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line; the exit status is 0, 1 (races found) or 2 (could not do it)."""
    verbose: int = 0
    try:
        options = parser().parse_args(arguments)
        verbose = options.verbose
        level = logging.WARNING if verbose == 0 else logging.INFO if verbose == 1 else logging.DEBUG
        logging.basicConfig(stream=sys.stderr, format="hgrd: %(message)s", level=level)
        from hgrd.cli import commands  # not for --help and usage errors: it loads the engine

        with nullcontext() if options.command == "check" else stoppable():
            status = commands.COMMANDS[options.command](options)
        sys.stdout.flush()
        return status
    except UsageError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("interrupted")
    except BrokenPipeError:
        # The reader of the output has closed it; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except Exception as error:
        if verbose:
            traceback.print_exc()
        return fail(f"internal error: {type(error).__name__}: {error}; please report it (-v shows where)")
