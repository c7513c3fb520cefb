"""Rule pages: the Markdown of docs/rules, made from the registry."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.findings.rules.rule import Rule


def page(rule: Rule) -> str:
    """The documentation of one rule, as in docs/rules/CODE.md."""
    sections = (
        ("What it does", rule.what),
        ("Why is this bad", rule.why),
        ("Example", f"{rule.example.strip()}\n\nUse instead: {rule.fix.strip()}"),
        ("Severity", rule.severities),
        ("Known problems", rule.known_problems),
    )
    return f"# {rule.code}: {rule.title}\n" + "".join(f"\n## {name}\n\n{text.strip()}\n" for name, text in sections)


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules, as in docs/rules/README.md."""
    rows = (
        f"| [{r.code}]({r.code}.md) | {r.title} | {r.severity.value} | {r.strict_severity.value} |\n" for r in rules
    )
    return (
        "# Rules\n\nThe kinds of findings that hgrd reports, and the highest severity that each can have.\n\n"
        "| rule | reports | severity | with `--strict` |\n|---|---|---|---|\n" + "".join(rows)
    )
