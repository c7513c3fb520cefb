from io import StringIO

import pytest

from hgrd.cli.progress import in_words, progress_on
from hgrd.engine.run.news import Progress


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(0, 1, 0, 0, 2.4), "2 s: reading the sources"),
        (Progress(0, 1, 3, 7, 12.0), "12 s: 3 of 7 kernels"),
        (Progress(0, 4, 0, 0, 2.4), "2 s: 0 of 4 programs, reading the sources"),
        (Progress(1, 4, 3, 7, 12.0), "12 s: 1 of 4 programs, 3 of 7 kernels so far"),
        (Progress(4, 4, 7, 7, 12.0), "12 s: 4 of 4 programs, 7 of 7 kernels"),
    ],
)
def test_words(progress: Progress, words: str):
    assert in_words(progress) == words


def shown(stream: StringIO, *, quiet: bool) -> str:
    with progress_on(stream, quiet=quiet) as line:
        for seconds in (0.5, 29.0, 31.0, 45.0, 62.0):
            line.show(Progress(0, 1, 0, 0, seconds))
            line.hide()
    return stream.getvalue()


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_file_gets_a_line_now_and_then():
    assert shown(StringIO(), quiet=False) == "hgrd: 31 s: reading the sources\nhgrd: 62 s: reading the sources\n"


def test_a_terminal_gets_one_line_that_goes_away():
    text = shown(Terminal(), quiet=False)
    assert "29 s: reading the sources" in text
    assert "0 s: reading the sources" not in text
    assert text.count("\x1b[2K") >= 4


def test_nothing_is_shown_where_quiet_is_asked_for():
    assert shown(Terminal(), quiet=True) == ""
