"""Tables of a translation unit: types, functions and variables by id and by qualified name."""

from __future__ import annotations

import re
from ast import literal_eval
from operator import eq
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.cuda.atomics import ORDERS_AND_SCOPES
from hgrd.program.program import Side, Template
from hgrd.program.span import Span
from hgrd.program.types import UINT, OpaqueType, RecordType
from hgrd.source.clang.ast import Node
from hgrd.source.declarations.cuda_types import GROUPS, PRELUDE_TYPES
from hgrd.source.declarations.type_parser import (
    NAMED,
    QualifiedType,
    TypeText,
    split_scopes,
    split_template,
)

Scope: TypeAlias = tuple[str, ...]

_POINTER_ITERATORS = ("__wrap_iter", "__normal_iterator")  # of libc++ and libstdc++: pointers in a class of their own
_NUMBER = re.compile(r"(\((?P<enum>[\w:]+)\))?(?P<digits>\d\w*?)[ULul]*")  # `2U`, `(Scope)2U`
_TRUTHS = {"true": "-1", "false": "0"}  # arguments of type bool: their values in clang's tree, numbers of one bit
_DEEPEST = 16  # bases of bases
_ATOMIC_NUMBER = re.compile(
    r"cuda::(?:(?P<semaphore>counting_semaphore)|latch)<(?P<scope>cuda::thread_scope_\w+)(?(semaphore), 1)>"
)
_UNNAMED = re.compile(r"\((?:lambda|anonymous|unnamed)[^()]* at ([^()]*:\d+:\d+)\)")


class RecordDeclaration(Struct, frozen=True):
    """A class with its definition; `scope` is the one inside of it."""

    key: str
    name: str
    node: Node
    scope: Scope
    pattern: bool  # of a template, not instantiated


class FunctionDeclaration(Struct, frozen=True):
    """The declaration of a function; `type_text` is the function's type as clang prints it.

    `defaults` is how many of its last parameters may be left out.
    `repeats` is the clang id of the declaration that a declaration without a body repeats.
    """

    key: str
    name: str
    qualified: str
    type_text: str
    kind: str
    scope: Scope
    owner: str | None
    side: Side
    template_args: tuple[int | str, ...]
    static: bool
    virtual: bool
    pure: bool
    implicit: bool  # made by the compiler, or defaulted
    empty: bool  # no initializers, no statements
    noreturn: bool
    variadic: bool
    span: Span
    repeats: str | None = None
    defaults: int = 0


class VariableDeclaration(Struct, frozen=True):
    """A variable of namespace or class scope."""

    node: Node
    key: str
    scope: Scope


class Definition(Struct, frozen=True):
    """A function body to lower."""

    declaration: FunctionDeclaration
    node: Node
    template: Template | None = None  # of one that is not instantiated

    @property
    def pattern(self) -> bool:
        return self.template is not None


class Declarations(Struct):
    """The tables; ids are clang's and live as long as one run of it."""

    records: dict[str, RecordDeclaration] = field(default_factory=dict[str, RecordDeclaration])
    record_ids: dict[str, RecordDeclaration] = field(default_factory=dict[str, RecordDeclaration])
    named: dict[str, QualifiedType] = field(default_factory=dict[str, QualifiedType])
    aliases: dict[str, tuple[str, Scope]] = field(default_factory=dict[str, tuple[str, Scope]])
    by_suffix: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    unnamed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    specializations: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    defaults: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])
    namespaces: dict[str, str] = field(default_factory=dict[str, str])
    unnamed_types: dict[str, QualifiedType] = field(default_factory=dict[str, QualifiedType])
    enumerators: dict[str, int] = field(default_factory=dict[str, int])
    members: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    functions: dict[str, FunctionDeclaration] = field(default_factory=dict[str, FunctionDeclaration])
    defined: dict[str, str] = field(default_factory=dict[str, str])  # files of definitions by the functions' keys
    realigned: bool = False  # a typedef has an alignment of its own
    virtual_names: set[str] = field(default_factory=set[str])
    variables: dict[str, VariableDeclaration] = field(default_factory=dict[str, VariableDeclaration])
    enumerator_values: dict[str, int] = field(default_factory=dict[str, int])  # by qualified name
    template_arguments: dict[Scope, dict[str, str]] = field(default_factory=dict[Scope, dict[str, str]])
    template_types: dict[Scope, dict[str, str]] = field(default_factory=dict[Scope, dict[str, str]])
    _cache: dict[tuple[str, Scope], QualifiedType] = field(default_factory=dict[tuple[str, Scope], QualifiedType])
    _resolving: set[str] = field(default_factory=set[str])

    # ------------------------------------------------------------ types

    def type_of(self, node: Node, scope: Scope) -> QualifiedType:
        """The type of an expression or declaration node."""
        type_ = node.get("type")
        if type_ is None:
            return QualifiedType(OpaqueType("?"))
        return self.parse(type_.get("desugaredQualType") or type_.get("qualType", ""), scope)

    def parse(self, text: str, scope: Scope) -> QualifiedType:
        """The type that `text` names when it stands in `scope`."""
        found = self._cache.get((text, ())) or self._cache.get((text, scope))
        if found is not None:
            return found
        scoped = False

        def lookup(name: str) -> QualifiedType | None:
            nonlocal scoped
            if name in NAMED:
                return QualifiedType(NAMED[name])
            scoped = True
            return self.lookup(name, scope)

        found = TypeText(text, lookup).read()
        self._cache[text, scope if scoped else ()] = found
        return found

    def lookup(self, name: str, scope: Scope) -> QualifiedType | None:
        """The type a name stands for: the innermost declaration, else the only one that ends so."""
        enum = name.startswith("enum ")
        name = name.removeprefix("enum ").replace("(anonymous namespace)::", "")
        if found := iterator_of(name):
            return self.parse(found, scope)
        if (alias := self.namespaces.get(name.partition("::")[0])) and "::" in name:
            name = f"{alias}::{name.partition('::')[2]}"
        for depth in range(len(scope), -1, -1):
            if found := self._exact("::".join((*scope[:depth], name))):
                return found
            if "lambda" in name and (key := self.template_types.get(scope[:depth], {}).get(name)):
                return QualifiedType(RecordType(key))
        last = split_scopes(name)[-1]
        if match := _UNNAMED.search(last):
            return self._unnamed(match[1], scope)
        if last.endswith(">") and (found := self._specialization(name, scope)):
            return found
        if name in PRELUDE_TYPES or last in PRELUDE_TYPES:
            return QualifiedType(PRELUDE_TYPES.get(name) or PRELUDE_TYPES[last])
        if name.startswith("std::") and last in NAMED:
            return QualifiedType(NAMED[last])
        endings = [q for q in self.by_suffix.get(last, ()) if q == name or q.endswith("::" + name)]
        found_types = [found for q in endings if (found := self._exact(q))]
        if found_types and all(t == found_types[0] for t in found_types):
            return found_types[0]
        if found := self._member(name, scope):
            return found
        if name.partition("<")[0] in GROUPS:  # named through a using directive
            name = f"cooperative_groups::{name}"
        if made_of := _ATOMIC_NUMBER.fullmatch(name):
            name = f"cuda::atomic<{'int' if made_of['semaphore'] else 'long'}, {made_of['scope']}>"
        return QualifiedType(UINT if enum else OpaqueType(name))

    def _exact(self, qualified: str) -> QualifiedType | None:
        if found := self.named.get(qualified):
            return found
        alias = self.aliases.get(qualified)
        if alias is None or qualified in self._resolving:
            return None
        self._resolving.add(qualified)
        try:
            return self.parse(alias[0], alias[1])
        finally:
            self._resolving.discard(qualified)

    def _unnamed(self, place: str, scope: Scope) -> QualifiedType | None:
        keys = self.unnamed.get(place, [])
        inside = [key for key in keys if scope and key.startswith("::".join(scope) + "::")]
        for key in (*inside, *keys):
            return QualifiedType(RecordType(key))
        return None

    def _specialization(self, name: str, scope: Scope) -> QualifiedType | None:
        split = split_template(name)
        if split is None:
            return None
        wanted = [self.canonical(argument, scope) for argument in split[1]]
        last = split_scopes(split[0])[-1]
        fitting: list[tuple[str, list[str]]] = []
        for key in self.specializations.get(last, ()):
            given = split_template(key)
            if given is None or not (given[0].endswith(split[0]) or split[0].endswith(given[0])):
                continue
            if not self._begins_with(given[1], wanted, scope):
                continue
            if len(given[1]) == len(wanted):
                return QualifiedType(RecordType(key))
            fitting.append((key, given[1]))
        if len(fitting) > 1:
            whole = self._with_defaults(last, wanted, scope)
            fitting = [(key, arguments) for key, arguments in fitting if self._begins_with(arguments, whole, scope)]
        return QualifiedType(RecordType(fitting[0][0])) if len(fitting) == 1 else None

    def _begins_with(self, arguments: list[str], wanted: list[str], scope: Scope) -> bool:
        """Whether the first template arguments are these in canonical form."""
        canonical = (self.canonical(argument, scope) for argument in arguments)
        return len(arguments) >= len(wanted) and all(map(eq, canonical, wanted))

    def _with_defaults(self, template: str, arguments: list[str], scope: Scope) -> list[str]:
        """Template arguments and those that follow them by default, as far as these are types of their own."""
        whole, defaults = list(arguments), self.defaults.get(template, {})
        while len(whole) in defaults:
            whole.append(self.canonical(defaults[len(whole)], scope))
        return whole

    def _member(self, name: str, scope: Scope) -> QualifiedType | None:
        """A type that is a member of a class or of one of its bases, whatever the name that the class is given."""
        *around, last = split_scopes(name)
        if not around or not any(">" in part for part in around):
            return None
        match self.lookup("::".join(around), scope):
            case QualifiedType(type=RecordType(key=key)):
                return self._inherited(key, last)
            case QualifiedType(type=OpaqueType(name=owner)) if owner != "::".join(around):
                return self.lookup(f"{owner}::{last}", ())
            case _:
                return None

    def _inherited(self, key: str, name: str, depth: int = 0) -> QualifiedType | None:
        found = self._exact(f"{key}::{name}")
        declaration = self.records.get(key)
        if found is not None or declaration is None or depth > _DEEPEST:
            return found
        for base in declaration.node.get("bases", ()):
            match self.parse(base["type"].get("desugaredQualType") or base["type"]["qualType"], declaration.scope).type:
                case RecordType(key=base_key):
                    found = found or self._inherited(base_key, name, depth + 1)
                case _:
                    pass
        return found

    def canonical(self, argument: str, scope: Scope) -> str:
        """A template argument such that equal ones have equal texts."""
        if argument in _TRUTHS:
            return _TRUTHS[argument]
        if number := _NUMBER.fullmatch(argument):
            return _as_clang_dumps(number["digits"])
        if argument[:1] == "'":
            return _code_of(argument)
        for depth in range(len(scope), -1, -1):
            if (value := self.enumerator_values.get("::".join((*scope[:depth], argument)))) is not None:
                return str(value)
        if (value := ORDERS_AND_SCOPES.get(argument.removeprefix("cuda::"))) is not None:
            return str(value)
        if argument[:1] in "-'\"&(" and "lambda" not in argument:
            return _as_clang_dumps(argument.rstrip("ULul"))
        parsed = self.parse(argument, scope)
        const = "const " if parsed.const else ""
        return argument if isinstance(parsed.type, OpaqueType) else f"{const}{parsed.type!r}"


def _code_of(character: str) -> str:
    """The number of a character constant; itself where it is none of these."""
    try:
        return str(ord(literal_eval(character)))
    except (SyntaxError, ValueError, TypeError):
        return character


def _as_clang_dumps(number: str) -> str:
    """A template argument above the signed numbers of 64 bits as clang's syntax tree has it: by its bits, signed."""
    return str(int(number) - (1 << 64)) if number.isdecimal() and int(number) >> 63 == 1 else number


def iterator_of(name: str) -> str:
    """The pointer that an iterator of a library's own class stands for (`int *` of `__wrap_iter<int *>`); "": none."""
    split = split_template(name)
    plain = "" if split is None else split[0].rpartition("::")[2]
    return split[1][0] if split is not None and split[1] and plain in _POINTER_ITERATORS else ""
