"""A readable print of programs, C-like, with types and widths on the operations.

Types: `i32`, `u64` (integers by width), `f32`, `bool`, `T*`, `T&`, `T[n]`.  Loads are written `[place]`;
places are bare.  Each statement ends in its position.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Aggregate,
    Assign,
    Binary,
    Call,
    Comma,
    Conditional,
    Construct,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FloatConst,
    FunctionAddress,
    FunctionRef,
    IndirectCall,
    IntConst,
    Launch,
    Load,
    Logical,
    New,
    NullPointer,
    Place,
    PointerAdd,
    PointerDifference,
    Storage,
    StringConst,
    TemporaryPlace,
    Throw,
    Unary,
    UnaryOp,
    Unsupported,
    UnsupportedPlace,
    Update,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Function, Global, Program
from hgrd.program.span import Span
from hgrd.program.statements import (
    Assembly,
    Block,
    Break,
    Case,
    Continue,
    Declare,
    DoWhile,
    Evaluate,
    Goto,
    If,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
    UnsupportedStatement,
)
from hgrd.program.types import (
    ArrayType,
    BoolType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    Type,
    VoidType,
)

INDENT = "    "
_EFFECTS = (Assign, Update)  # no brackets around these as statements of their own


def print_program(program: Program) -> str:
    """All user records, globals and functions in the order of the source."""
    functions = sorted(
        (f for f in program.functions.values() if f.user_code and f.body), key=lambda f: (f.span, f.ref.key)
    )
    used = {key for f in functions for key in _record_keys(f)}
    parts = [_record(record) for key, record in sorted(program.records.items()) if key in used]
    globals_ = sorted(program.globals.values(), key=lambda g: (g.variable.span, g.variable.key))
    parts += [_global(declared) for declared in globals_]
    parts += [print_function(function) for function in functions]
    parts += [f"uninstantiated {t.name}  // {at(t.span)}\n" for t in program.uninstantiated]
    parts += [f"presumed {t.name} with {arguments}  // {at(t.span)}\n" for t, arguments in program.presumed]
    parts += [f"presumed: {d.message}  // {at(d.span)}\n" for d in program.macro_guesses]
    return "\n".join(parts)


def print_function(function: Function) -> str:
    lines = [print_head(function)]
    if function.body is not None:
        lines += ["{", *_indented(print_statements(function.body.body)), "}"]
    return "\n".join(lines) + "\n"


def print_head(function: Function) -> str:
    """Head of a function in one line: side, types and names, position."""
    parameters = ", ".join(f"{print_type(p.type)} {_name(p)}" for p in function.parameters)
    bounds = f" max_threads({function.max_threads})" if function.max_threads is not None else ""
    head = f"{function.side.value} {print_type(function.returns)} {_function_name(function.ref)}({parameters}){bounds}"
    return f"{head}  // {at(function.span)}"


def print_type(type_: Type) -> str:
    match type_:
        case VoidType():
            return "void"
        case BoolType():
            return "bool"
        case IntType(bits=bits, signed=signed):
            return f"{'i' if signed else 'u'}{bits}"
        case FloatType(bits=bits):
            return f"f{bits}"
        case PointerType(to=to, reference=reference):
            return print_type(to) + ("&" if reference else "*")
        case ArrayType(of=of, count=count):
            dimensions = f"[{'' if count is None else count}]"
            while isinstance(of, ArrayType):
                dimensions += f"[{'' if of.count is None else of.count}]"
                of = of.of
            return print_type(of) + dimensions
        case RecordType(key=key):
            return _short(key)
        case FunctionType():
            return "function"
        case OpaqueType(name=name):
            return f"?{_short(name)}"


def print_expression(expression: Expression) -> str:
    """Expression in one line; operations carry their type where it is not i32."""
    match expression:
        case IntConst(value=value, type=type_):
            return f"{value}{_suffix(type_)}"
        case FloatConst(value=value, type=type_):
            return f"{value!r}{_suffix(type_)}"
        case StringConst(value=value):
            return json.dumps(value)
        case NullPointer():
            return "null"
        case FunctionAddress(function=function):
            return f"&{_function_name(function)}"
        case Load(place=place, volatile=volatile):
            return f"[{'volatile ' if volatile else ''}{print_place(place)}]"
        case AddressOf(place=place):
            return f"&{print_place(place)}"
        case PointerAdd(pointer=pointer, index=index, stride=stride):
            return f"({print_expression(pointer)} +{stride}* {print_expression(index)})"
        case PointerDifference(left=left, right=right, stride=stride):
            return f"({print_expression(left)} -/{stride} {print_expression(right)})"
        case Unary(op=op, operand=operand, type=type_):
            suffix = "" if op is UnaryOp.NOT else _suffix(type_)
            return f"{op.value}{suffix}{print_expression(operand)}"
        case Binary(op=op, left=left, right=right):
            shown = left.type if isinstance(expression.type, BoolType) else expression.type
            return f"({print_expression(left)} {op.value}{_suffix(shown)} {print_expression(right)})"
        case Logical(conjunction=conjunction, left=left, right=right):
            return f"({print_expression(left)} {'&&' if conjunction else '||'} {print_expression(right)})"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({print_expression(condition)} ? {print_expression(then)} : {print_expression(otherwise)})"
        case Convert(operand=operand, type=type_):
            return f"{print_type(type_)}({print_expression(operand)})"
        case Assign() | Update(postfix=False):
            return f"({_effect(expression)})"
        case _:
            return _effect(expression)


def _effect(expression: Expression) -> str:
    match expression:
        case Assign(place=place, value=value, initial=initial):
            return f"{print_place(place)} {':=' if initial else '='} {print_expression(value)}"
        case Update(op=op, place=place, value=value, postfix=postfix, compute_type=type_):
            text = f"{print_place(place)} {op.value}={_suffix(type_)} {print_expression(value)}"
            return f"old({text})" if postfix else text
        case Call(function=function, arguments=arguments):
            return f"{_function_name(function)}({_list(arguments)})"
        case IndirectCall(callee=callee, arguments=arguments):
            return f"(*{print_expression(callee)})({_list(arguments)})"
        case Aggregate(parts=parts, type=type_):
            inside = ", ".join(f"@{offset} {print_expression(part)}" for offset, part in parts)
            return f"{print_type(type_)}{{{inside}}}"
        case Construct(constructor=None, type=type_):
            return f"{print_type(type_)}(indeterminate)"
        case Construct(constructor=FunctionRef() as constructor, arguments=arguments):
            return f"construct {_function_name(constructor)}({_list(arguments)})"
        case New(allocated=allocated, count=count, initial=initial):
            size = f"[{print_expression(count)}]" if count is not None else ""
            made = f" = {print_expression(initial)}" if initial is not None else ""
            return f"new {print_type(allocated)}{size}{made}"
        case Comma(left=left, right=right):
            return f"({print_expression(left)}, {print_expression(right)})"
        case Launch(kernel=kernel, grid=grid, block=block, arguments=arguments):
            extra = [part for part in (expression.shared_bytes, expression.stream) if part is not None]
            configuration = _list((grid, block, *extra))
            return f"launch {print_expression(kernel)}<<<{configuration}>>>({_list(arguments)})"
        case Throw():
            return "throw"
        case Unsupported(reason=reason, operands=operands, type=type_):
            return f"unsupported<{reason}, {print_type(type_)}>({_list(operands)})"
        case _:
            raise AssertionError(expression)


def print_place(place: Place) -> str:
    match place:
        case VariablePlace(variable=variable):
            return _name(variable)
        case Deref(pointer=pointer):
            return f"*{print_expression(pointer)}"
        case FieldPlace(base=base, field=member):
            return f"{print_place(base)}.{member.name or print_type(member.type)}@{member.offset}"
        case TemporaryPlace(value=value):
            return f"temporary({print_expression(value)})"
        case AfterPlace(effect=effect, place=after):
            return f"({print_expression(effect)}; {print_place(after)})"
        case UnsupportedPlace(reason=reason):
            return f"unsupported<{reason}>"


# ---------------------------------------------------------------- statements


def print_statements(statements: Iterable[Statement]) -> list[str]:
    """Lines of statements: one for each simple statement, several for others."""
    return [line for statement in statements for line in _statement(statement)]


def _statement(statement: Statement) -> list[str]:
    where = f"  // {at(statement.span)}"
    match statement:
        case Block(body=body):
            return ["{", *_indented(print_statements(body)), "}"]
        case Declare(variable=variable, initial=initial):
            made = f" = {print_expression(initial)}" if initial is not None else ""
            storage = "" if variable.storage is Storage.LOCAL else f"{variable.storage.value} "
            return [f"{storage}{print_type(variable.type)} {_name(variable)}{made};{where}"]
        case Evaluate(expression=expression):
            return [f"{_alone(expression)};{where}"]
        case If(condition=condition, then=then, otherwise=otherwise):
            lines = [f"if ({print_expression(condition)})  // {at(statement.span)}", *_body(then)]
            return lines if otherwise is None else [*lines, "else", *_body(otherwise)]
        case Loop(condition=condition, step=step, body=body):
            head = "true" if condition is None else print_expression(condition)
            after = "" if step is None else f"; {_alone(step)}"
            return [f"while ({head}{after}){where}", *_body(body)]
        case DoWhile(body=body, condition=condition):
            return [f"do{where}", *_body(body), f"while ({print_expression(condition)});"]
        case Switch(operand=operand, cases=cases):
            inside = [line for case in cases for line in _case(case)]
            return [f"switch ({print_expression(operand)}){where}", "{", *_indented(inside), "}"]
        case Break():
            return [f"break;{where}"]
        case Continue():
            return [f"continue;{where}"]
        case Return(value=value):
            return [f"return{'' if value is None else ' ' + print_expression(value)};{where}"]
        case Label(name=name):
            return [f"{name}:{where}"]
        case Goto(target=target):
            return [f"goto {target};{where}"]
        case Assembly(template=template, outputs=outputs, inputs=inputs):
            return [f"asm({json.dumps(template)} : {_list(outputs)} : {_list(inputs)});{where}"]
        case UnsupportedStatement(reason=reason, parts=parts):
            return [f"unsupported<{reason}>{where}", "{", *_indented(print_statements(parts)), "}"]


def _alone(expression: Expression) -> str:
    """Expression printed as a statement."""
    return _effect(expression) if isinstance(expression, _EFFECTS) else print_expression(expression)


def _body(statement: Statement) -> list[str]:
    return _statement(statement if isinstance(statement, Block) else Block((statement,), statement.span))


def _case(case: Case) -> list[str]:
    labels = [f"case {low}:" if low == high else f"case {low} ... {high}:" for low, high in case.values]
    return [" ".join([*labels, *(["default:"] if case.default else [])]), *_indented(print_statements(case.body))]


def _indented(lines: Iterable[str]) -> list[str]:
    return [INDENT + line for line in lines]


# ---------------------------------------------------------------- the rest


def _record(record: Record) -> str:
    kind = "union" if record.union else "struct"
    known = "" if record.complete else " incomplete"
    lines = [f"{kind} {_short(record.key)}  // size {record.size}, align {record.align}{known}", "{"]
    for member in record.fields:
        bits = f" : {member.bits}" if member.bits is not None else ""
        lines.append(f"{INDENT}@{member.offset} {print_type(member.type)} {member.name or '(base)'}{bits};")
    return "\n".join([*lines, "}"]) + "\n"


def _global(declared: Global) -> str:
    variable = declared.variable
    initial = f" = {print_expression(declared.initial)}" if declared.initial is not None else ""
    constant = "const " if declared.constant else ""
    text = f"{variable.storage.value} {constant}{print_type(variable.type)} {_name(variable)}{initial};"
    return f"{text}  // {at(variable.span)}\n"


def _record_keys(function: Function) -> set[str]:
    """Keys of the records among a function's parameter types, also by pointer or array."""
    found: set[str] = set()
    for type_ in (p.type for p in function.parameters):
        while isinstance(type_, PointerType | ArrayType):
            type_ = type_.to if isinstance(type_, PointerType) else type_.of
        if isinstance(type_, RecordType):
            found.add(type_.key)
    return found


def _function_name(function: FunctionRef) -> str:
    arguments = ", ".join(_short(str(argument)) for argument in function.template_args)
    return _short(function.qualified) + (f"<{arguments}>" if arguments else "")


def _name(variable: Variable) -> str:
    name = variable.name or "_"
    number = variable.key.rpartition("#")[2] if "#" in variable.key else ""
    return f"{name}.{number}" if number.isdigit() else name


def _suffix(type_: Type) -> str:
    return "" if print_type(type_) == "i32" else f":{print_type(type_)}"


def _list(expressions: Iterable[Expression]) -> str:
    return ", ".join(map(print_expression, expressions))


def at(span: Span) -> str:
    """Position without the folder of its file."""
    text = f"{_file(span.file)}:{span.line}:{span.column}"
    return text if span.spelling is None else f"{text} in {_file(span.spelling.file)}:{span.spelling.line}"


def _file(name: str) -> str:
    return PurePath(name).name


def _short(name: str) -> str:
    """A name without folders: names of unnamed entities contain the path of their file."""
    return re.sub(r" at [^()]*/", " at ", name)
