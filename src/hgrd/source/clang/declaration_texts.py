"""Texts of top-level declarations, cut out of the JSON that clang prints for a file.

clang prints a tree of any size as one document, in which each level stands at an indentation of its own.  A template of
a kernel or of a function of the host comes with all of its instances, of which those beyond some size are left out
here: within switches there are hundreds of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct

BLOCK = 1 << 20
MOST_TEXT = 256 << 20
MOST_INSTANCES = 64 << 20  # bytes of the text of a template, after which no further instance is kept
FUNCTION_KINDS = frozenset(
    ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "CXXDestructorDecl")
)
PLACES = re.compile(rb'"offset": \d+,\s*(?:"file": ("(?:[^"\\]|\\.)*"),\s*)?"line": (\d+)')
_TEMPLATE = "FunctionTemplateDecl"
_AROUND = frozenset(("NamespaceDecl", "LinkageSpecDecl"))
_INDENTATION = re.compile(rb"\n +")
_KIND = re.compile(rb'"kind": "(\w+)"')
_NAME = re.compile(rb'"name": "((?:[^"\\]|\\.)*)"')
_LINE = re.compile(rb'"line": (\d+)')
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


class _Instances:
    """The instances of a template that are left out: where they end, how many there are, the last place in them."""

    __slots__ = ("_each", "_end", "_file", "_finishing", "_line", "count", "name")

    def __init__(self, template: OpenFunction) -> None:
        outer, inner = b"\n" + b" " * template.indentation, b"\n" + b" " * (template.indentation + 4)
        self.name = template.template
        self.count = 0
        self._end, self._each = outer + b"}", inner
        self._finishing = True
        self._file = self._line = b""

    def read(self, block: bytes) -> tuple[bytes, bytes, bool]:
        """The part of a block that is kept, the part not yet read, and whether the template ends before it."""
        kept = b""
        if self._finishing:
            stop = block.find(self._each + b"}")
            template = block.find(self._end)
            if stop < 0 or 0 <= template < stop:
                return (block, b"", False) if template < 0 else (block[:template], block[template:], True)
            end = stop + len(self._each) + 1
            kept, block = block[:end], block[end:]
            self._finishing = False
        stop = block.find(self._end)
        self._drop(block if stop < 0 else block[:stop])
        return (kept, b"", False) if stop < 0 else (kept + self._instead(), block[stop:], True)

    def _drop(self, text: bytes) -> None:
        self.count += text.count(self._each + b"{")
        line = text.rfind(b'"line": ')
        if line >= 0 and (found := _LINE.match(text, line)):
            self._line = found[1]
        file = text.rfind(b'"file": ')
        while file >= 0 and b'"offset"' not in text[max(0, file - 120) : file].rpartition(b"{")[2]:
            file = text.rfind(b'"file": ', 0, file)
        if file >= 0 and (found := _FILE.match(text, file)):
            self._file = found[1]

    def _instead(self) -> bytes:
        if not self.count:
            return b"]"
        file = b'"file": ' + self._file + b", " if self._file else b""
        place = b'"offset": 0, ' + file + b'"line": ' + (self._line or b"0") + b', "col": 1'
        return b', {"kind": "LeftOut", "loc": {' + (place if self._line else b"") + b"}}]"


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
        while block:
            if self._dropping is not None:
                kept, block, ended = self._dropping.read(block)
                yield from self._keep(kept)
                if ended:
                    self._left_out += [LeftOut(self._dropping.name, self._dropping.count)] * (self._dropping.count > 0)
                    self._dropping = None
                continue
            stop = block.find(b"\n    }")
            if stop < 0:
                yield from self._keep(block)
                return
            self._parts.append(block[: stop + 6])
            self._size += stop + 6
            if self._size > self._limit and not self._stripped:
                self._strip()
            yield DeclarationText(_joined(self._parts), self._size, left_out=tuple(self._left_out))
            self._begin()
            block = block[stop + 6 :]

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
        if found is not None and found.template and not _for_the_device(text, found):
            if self._size - found.begin >= MOST_INSTANCES:
                self._dropping = _Instances(found)
            else:
                self._next_look = found.begin + MOST_INSTANCES


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
