"""Texts of top-level declarations, cut out of the JSON that clang prints for a file.

clang prints a tree of any size as one document, in which each level stands at an indentation of its own.  A template
comes with all of its instances, of which those beyond some size are left out here: within switches there are hundreds
of them.  Kernels call the instances of templates for the device, of which more are kept for this reason; one that calls
what was left out is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import BinaryIO

from msgspec import Struct

BLOCK = 1 << 20
MOST_TEXT = 256 << 20
MOST_INSTANCES = 16 << 20  # bytes of the text of a template, after which only what is new of its instances is kept
MOST_DEVICE = 96 << 20  # bytes of the text of a template for the device, after which no instance is kept
MOST_KEPT = 48 << 20  # bytes, after which none is
FUNCTION_KINDS = frozenset(
    ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "CXXDestructorDecl")
)
PLACES = re.compile(rb'"offset": \d+,\s*(?:"file": ("(?:[^"\\]|\\.)*"),\s*)?"line": (\d+)')
_TEMPLATE = "FunctionTemplateDecl"
_AROUND = frozenset(("NamespaceDecl", "LinkageSpecDecl"))
_INDENTATION = re.compile(rb"\n +")
_END = re.compile(rb"\n    \}")  # in texts that are mostly indentation, patterns are found faster than strings
_KIND = re.compile(rb'"kind": "(\w+)"')
_NAME = re.compile(rb'"name": "((?:[^"\\]|\\.)*)"')
_LINE = re.compile(rb'"line": (\d+)')
_MANGLED = re.compile(rb'"mangledName": "([^"]*)"')
_PART = re.compile(rb"L[a-z]+n?\d+E|\d+|\w")
_FILE = re.compile(rb'"file": ("(?:[^"\\]|\\.)*")')


class LeftOut(Struct, frozen=True):
    """Instances of a function template that are not in its text."""

    template: str
    instances: int


class DeclarationText(Struct, frozen=True):
    """The text of a declaration and its length; past the reader's limit only head and tail are there.

    One that is too long without that comes twice: first as far as it is there, not `complete`.
    """

    text: bytes
    size: int
    complete: bool = True
    left_out: tuple[LeftOut, ...] = ()


class OpenFunction(Struct, frozen=True):
    """A function, in namespaces or not, in whose tree a text breaks off."""

    begin: int
    indentation: int
    template: str  # its name; "": it is none


def open_function(text: bytes) -> OpenFunction | None:
    """The function in which the text of a declaration breaks off, if it does in one."""
    indentation, begin = 4, max(text.find(b"\n    {"), 0)
    while (kind := _KIND.search(text, begin)) and kind[1].decode() in _AROUND:
        indentation += 4
        begin = text.rfind(b"\n" + b" " * indentation + b"{", begin)
        if begin < 0:
            return None
    if kind is None or kind[1].decode() not in (*FUNCTION_KINDS, _TEMPLATE):
        return None
    name = _NAME.search(text, kind.end(), kind.end() + 2000) if kind[1].decode() == _TEMPLATE else None
    return OpenFunction(begin, indentation, "" if name is None else name[1].decode("utf-8", "replace"))


def declaration_texts(stream: BinaryIO, limit: int) -> Iterator[DeclarationText]:
    """The top-level declarations in order; what has more than `limit` bytes without indentation is not kept whole."""
    reader = _Reader(limit)
    rest = b""
    while block := stream.read(BLOCK):
        block = rest + block
        end = max(block.rfind(b"\n"), 0)
        yield from reader.read(block[:end])
        rest = block[end:]


class _At(Enum):
    """Where reading stands: in an instance that is kept or left out, before its name is known, or between two."""

    KEPT = auto()
    LEFT_OUT = auto()
    HEAD = auto()
    BETWEEN = auto()


class _Instances:
    """The further instances of a template: how many are left out, and the last place in those.

    Kept is what differs in a part of its name from all that are kept, as long as there is room.
    """

    __slots__ = (
        "_at", "_begin", "_end", "_file", "_gap", "_line", "_pending", "_room", "_seen", "_stop", "count", "name",
    )  # fmt: skip

    def __init__(self, template: OpenFunction, text: bytes) -> None:
        inner = template.indentation + 4
        self.name = template.template
        self.count = 0
        self._begin, self._end = re.compile(rb"\n {%d}\{" % inner), re.compile(rb"\n {%d}\}" % inner)
        self._stop = re.compile(rb"\n {%d}\}" % template.indentation)
        self._at = _At.KEPT
        self._pending = b""
        self._gap = False  # what was read last is left out
        self._room = MOST_KEPT - (len(text) - template.begin)
        self._seen = frozenset(part for name in _MANGLED.finditer(text, template.begin) for part in _parts(name[1]))
        self._file = self._line = b""

    def read(self, block: bytes) -> tuple[bytes, bytes, bool]:
        """The part of a block that is kept, the part not yet read, and whether the template ends before it."""
        stop = self._stop.search(block)
        end = len(block) if stop is None else stop.start()
        position = 0
        kept: list[bytes] = []
        while position < end:
            position = self._step(block, position, end, kept)
        if stop is not None:
            kept += (self._instead(), self._pending)
        return b"".join(kept), block[end:], stop is not None

    def _step(self, block: bytes, position: int, end: int, kept: list[bytes]) -> int:
        """Reads on to where something else begins."""
        found = (self._begin if self._at is _At.BETWEEN else self._end).search(block, position, end)
        after = end if found is None else found.end()
        match self._at:
            case _At.BETWEEN:
                self._pending += block[position:after]
                self._at = _At.BETWEEN if found is None else _At.HEAD
                return after
            case _At.HEAD:
                name = _MANGLED.search(block, position, after)
                after = name.end() if name is not None else end if found is None else found.start()
                self._pending += block[position:after]
                if name is not None or found is not None:
                    self._decide(b"" if name is None else name[1], kept)
                return after
            case _At.KEPT:
                kept.append(block[position:after])
                self._room -= after - position
            case _At.LEFT_OUT:
                self._leave_out(block[position:after])
        self._at = self._at if found is None else _At.BETWEEN
        return after

    def _decide(self, name: bytes, kept: list[bytes]) -> None:
        """Whether the instance of this name, b"" is something small, is kept."""
        parts = _parts(name)
        if not name or (self._room > 0 and not parts <= self._seen):
            self._seen |= parts
            kept += (self._instead(), self._pending)
            self._at = _At.KEPT
        else:
            self.count += 1
            self._gap = True
            self._leave_out(self._pending)
            self._at = _At.LEFT_OUT
        self._pending = b""

    def _leave_out(self, text: bytes) -> None:
        line = text.rfind(b'"line": ')
        if line >= 0 and (found := _LINE.match(text, line)):
            self._line = found[1]
        file = text.rfind(b'"file": ')
        while file >= 0 and b'"offset"' not in text[max(0, file - 120) : file].rpartition(b"{")[2]:
            file = text.rfind(b'"file": ', 0, file)
        if file >= 0 and (found := _FILE.match(text, file)):
            self._file = found[1]

    def _instead(self) -> bytes:
        """What stands in the place of instances that were left out."""
        if not self._gap:
            return b""
        self._gap = False
        file = b'"file": ' + self._file + b", " if self._file else b""
        place = b'"offset": 0, ' + file + b'"line": ' + (self._line or b"0") + b', "col": 1'
        return b', {"kind": "LeftOut", "loc": {' + (place if self._line else b"") + b"}}"


def _parts(mangled: bytes) -> frozenset[tuple[int, bytes]]:
    """The constants and the names in a mangled name, each with its position."""
    return frozenset(enumerate(_PART.findall(mangled)))


class _Reader:
    """The declaration that is being read."""

    __slots__ = ("_dropping", "_left_out", "_limit", "_next_look", "_parts", "_size", "_stripped")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._dropping: _Instances | None = None
        self._begin()

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._stripped = False
        self._left_out: list[LeftOut] = []
        self._next_look = MOST_INSTANCES

    def read(self, block: bytes) -> Iterator[DeclarationText]:
        position = 0
        while position < len(block):
            if self._dropping is not None:
                kept, rest, ended = self._dropping.read(block[position:])
                position = len(block) - len(rest)
                yield from self._keep(kept)
                if ended:
                    self._left_out += [LeftOut(self._dropping.name, self._dropping.count)] * (self._dropping.count > 0)
                    self._dropping = None
                continue
            end = _END.search(block, position)
            if end is None:
                yield from self._keep(block[position:])
                return
            self._parts.append(block[position : end.end()])
            self._size += end.end() - position
            if self._size > self._limit and not self._stripped:
                self._strip()
            yield DeclarationText(_joined(self._parts), self._size, left_out=tuple(self._left_out))
            self._begin()
            position = end.end()

    def _keep(self, text: bytes) -> Iterator[DeclarationText]:
        if self._size + len(text) > MOST_TEXT:
            if not self._stripped:
                yield DeclarationText(_joined([*self._parts, text]), self._size, complete=False)
                self._strip()
            text = _INDENTATION.sub(b"", text)
        self._size += len(text)
        if not self._stripped or self._size <= self._limit or len(self._parts) < 2:
            self._parts.append(text)
        else:
            self._parts[1:] = [_last_places(b"".join((*self._parts[1:], text)))]
        if self._size > self._next_look and not self._stripped and self._dropping is None:
            self._look()

    def _strip(self) -> None:
        """The text so far without indentation, which is most of it."""
        begin = _joined(self._parts)
        head = begin[:4000]
        self._parts = [b"\n    ", head, _INDENTATION.sub(b"", begin[4000:])]
        self._size = sum(map(len, self._parts))
        self._stripped = True

    def _look(self) -> None:
        """Whether a template has instances enough."""
        self._next_look = self._size + MOST_INSTANCES
        text = b"".join(self._parts)
        self._parts = [text]
        found = open_function(text)
        if found is not None and found.template:
            most = MOST_DEVICE if _for_the_device(text, found) else MOST_INSTANCES
            if self._size - found.begin >= most:
                self._dropping = _Instances(found, text)
            else:
                self._next_look = found.begin + most


def _for_the_device(text: bytes, function: OpenFunction) -> bool:
    """Whether device code can call the instances of a template."""
    attribute = b"\n" + b" " * (function.indentation + 10) + b'"kind": "CUDADeviceAttr"'
    return text.find(attribute, function.begin) >= 0


def _joined(parts: list[bytes]) -> bytes:
    text = b"".join(parts)
    start = text.find(b"\n    {")
    return text[text.find(b"{", max(start, 0)) :]


def _last_places(text: bytes) -> bytes:
    """Enough of `text` to know which file and line were printed last."""
    found = list(PLACES.finditer(text))
    named = [match for match in found if match[1]]
    return b"\n".join(match[0] for match in (*named[-1:], *found[-1:]))
