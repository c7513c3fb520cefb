from pathlib import Path

from hgrd.program.span import Span
from hgrd.report.terminal.excerpt import excerpt, source_reader
from hgrd.report.terminal.lines import plain


def shown(file: Path, line: int, column: int) -> str:
    return plain(excerpt(Span(str(file), line, column), source_reader()))


def test_the_caret_stands_below_the_column_behind_tabs_and_wide_bytes(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("\tint é = x;\n", encoding="utf-8")
    assert shown(file, 1, 11) == "    1 | \tint é = x;\n      | \t        ^\n"


def test_latin_1_sources_are_shown_with_replacements(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_bytes(b"// caf\xe9\r\nint x;\r\n")
    assert shown(file, 1, 1) == "    1 | // caf\ufffd\n      | ^\n"


def test_nothing_beyond_the_end_or_without_a_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("int x;\n")
    assert shown(file, 7, 1) == ""
    assert shown(tmp_path / "b.cu", 1, 1) == ""
