"""The rules: each is documented, and docs/rules is what the registry says."""

from pathlib import Path

import pytest
from msgspec.structs import asdict

from hgrd.findings.model import DivergenceRule
from hgrd.findings.rules import DATA_RACE, RULES, Rule
from hgrd.findings.rules.__main__ import main
from hgrd.findings.rules.page import index, page

PAGES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_page_of_a_rule_is_made_from_the_registry(rule: Rule):
    assert (PAGES / f"{rule.code}.md").read_text() == page(rule), "python -m hgrd.findings.rules docs/rules"


def test_no_page_is_without_a_rule_and_the_table_has_all():
    assert {path.stem for path in PAGES.iterdir()} == {*RULES, "README"}
    assert (PAGES / "README.md").read_text() == index(RULES.values()), "python -m hgrd.findings.rules docs/rules"


def test_the_command_writes_what_the_tests_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path)]) == 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        path.name: path.read_text() for path in PAGES.iterdir()
    }
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m hgrd.findings.rules FOLDER\n"


@pytest.mark.parametrize("field", ["title", "what", "why", "example", "fix", "severities", "known_problems"])
def test_a_rule_without_documentation_does_not_load(field: str):
    with pytest.raises(ValueError, match=f"HGRD001 has no text for {field}"):
        Rule(**{**asdict(DATA_RACE), field: " \n"})


def test_a_code_has_a_form():
    with pytest.raises(ValueError, match="'RACE1' is no code of a rule"):
        Rule(**{**asdict(DATA_RACE), "code": "RACE1"})


def test_codes_are_in_order_and_each_belongs_to_its_rule():
    assert list(RULES) == sorted(rule.code for rule in RULES.values())
    assert {rule.value for rule in DivergenceRule} <= set(RULES)


def test_examples_have_code_and_texts_fit_a_screen():
    for rule in RULES.values():
        assert "```cuda\n" in rule.example
        assert "```cuda\n" in rule.fix
        assert max(map(len, page(rule).splitlines())) <= 120
