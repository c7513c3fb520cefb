"""The printed form of launches and facts."""

from __future__ import annotations

from hgrd.host.model import HostRun, LaunchSite, ProgramMade
from hgrd.host.wording import say_value


def print_facts(run: HostRun) -> str:
    """Every launch with its configuration, its arguments, and the facts that hold there."""
    notes = [f"{note.span}: note: {note.text}\n" for note in run.notes]
    return "\n".join([*map(_launch, run.launches), *notes])


def _launch(site: LaunchSite) -> str:
    lines = [f"{site.span}: {site.kernel.name}{site.configuration}{' (cooperative)' if site.cooperative else ''}"]
    lines += [f"  called from {span}" for span in reversed(site.stack)]
    lines += [f"  argument {index}: {say_value(value)}" for index, value in enumerate(site.arguments)]
    facts = (*site.facts, *(holding.fact for holding in site.contents), *site.beside)
    width = max((len(fact.kind.value) for fact in facts), default=0)
    lines += [f"  {fact.kind.value:{width}}  {fact.text}  [{fact.span}]" for fact in facts]
    lines += [f"  {m.target.name} holds what {_maker(m)} makes  [{m.span}]" for m in site.made]
    lines += [f"  {note.text}  [{note.span}]" for note in site.shared]
    return "\n".join(lines) + "\n"


def _maker(making: ProgramMade) -> str:
    return f"kernel {making.kernel}" if making.kernel else "the program"
