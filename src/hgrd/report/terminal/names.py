"""Names as the source has them: without what the analysis adds to keep its symbols apart.

A symbol of a loop's iteration is `i#`, the second one of a name `i'2`, the iterator of a range-based for `__begin1`,
and an element of an array that is read `[][i]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_ITERATOR: Final = re.compile(r"\b__begin\d+(?:\.iteration)?#?")
_NUMBER: Final = re.compile(r"(?<=[\w\])#])'\d*(?!\w)")
_QUOTED: Final = re.compile(r"(?<!\S)'([^\s']+)'(?!\w)")


def in_source(text: str) -> str:
    """A text with the names of the source; numbers of symbols stay where the text would else mix two of them up."""
    parts = _QUOTED.split(text)
    return "".join(f"'{_plain(part)}'" if number % 2 else _plain(part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    plain = _ITERATOR.sub("iteration", text).replace("#", "").replace("[][", "[")
    names = set(re.findall(r"[\w.]+(?:\[\])?(?:'\d*)?(?!\w)", plain))
    mixed = {_NUMBER.sub("", name) for name in names if "'" in name} & names
    return plain if mixed else _NUMBER.sub("", plain)


def columns_of(names: Iterable[str]) -> Mapping[str, str]:
    """What a column is headed by, for each name: names that would be the same are numbered."""
    headed: dict[str, str] = {}
    taken: dict[str, int] = {}
    for name in names:
        plain = _NUMBER.sub("", in_source(name))
        taken[plain] = taken.get(plain, 0) + 1
        headed[name] = plain if taken[plain] == 1 else f"{plain} ({taken[plain]})"
    return headed
