"""The formats: what each writes where, and that the command line offers all of them."""

import json
from io import BytesIO, StringIO, TextIOWrapper

import pytest

from hgrd.cli.arguments import parser
from hgrd.findings.model import Message
from hgrd.program.span import NOWHERE, Span
from hgrd.report import FORMATS, ReportContext
from hgrd.report.text import message_lines
from tests.report.samples import RACY, report


def written(name: str) -> tuple[str, str]:
    """(output, log) of a report on a race, in this format."""
    output, log = TextIOWrapper(BytesIO()), StringIO()
    writer = FORMATS[name](ReportContext(output=output, log=log))
    writer.messages(report(RACY).messages)
    writer.kernel(RACY)
    writer.end(report(RACY), {"b.cu": "no such file"})
    output.flush()
    assert isinstance(output.buffer, BytesIO)
    return output.buffer.getvalue().decode(), log.getvalue()


def test_text_has_the_findings_and_logs_the_messages():
    output, log = written("text")
    assert "error: data race on 'tile'" in output
    assert log.splitlines() == list(message_lines(report(RACY).messages, everything=False))


def test_json_is_one_document_and_logs_nothing():
    output, log = written("json")
    assert json.loads(output)["failures"] == [{"file": "b.cu", "reason": "no such file"}]
    assert log == ""


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_line_offers_every_format(name: str):
    assert parser().parse_args(["check", "--format", name, "a.cu"]).format == name


def test_the_first_format_is_the_default():
    assert parser().parse_args(["check", "a.cu"]).format == "text"


def test_of_many_errors_some_are_shown():
    messages = [Message(Span("a.cu", line, 1), "expected ';'", error=True) for line in range(1, 13)]
    messages.append(Message(NOWHERE, "no build", error=False))
    brief = list(message_lines(messages, everything=False))
    assert brief[9:] == [
        "a.cu:10:1: error: expected ';'",
        "hgrd: warning: no build",
        "a.cu: error: 2 more errors, which -v shows",
    ]
    assert len(list(message_lines(messages, everything=True))) == 13
