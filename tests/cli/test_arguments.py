import pytest

from hgrd.cli.arguments import UsageError, analysis_options, parser, source_options
from hgrd.findings.model import Level
from hgrd.findings.options import AnalysisOptions
from hgrd.host.model import FactKind
from hgrd.source.options import SourceOptions


def analysis(*arguments: str) -> AnalysisOptions:
    return analysis_options(parser().parse_args(["check", "a.cu", *arguments]))


def test_defaults_are_those_of_the_options():
    arguments = parser().parse_args(["check", "a.cu"])
    assert analysis_options(arguments) == AnalysisOptions()
    assert source_options(arguments) == SourceOptions(reuse=True)


def test_source_options_as_compilers_spell_them():
    arguments = ["check", "-Iinc", "-I", "more", "-DN=4", "-D", "M", "-UX", "-std=c++20", "-x", "cuda", "a.cu"]
    assert source_options(parser().parse_args(arguments)) == SourceOptions(
        include_dirs=("inc", "more"),
        defines=("N=4", "M"),
        undefines=("X",),
        standard="c++20",
        language="cuda",
        reuse=True,
    )


@pytest.mark.parametrize(
    ("arguments", "version", "architecture"),
    [
        ((), (13, 0), 800),
        (("--cuda-version", "12.4", "--arch", "sm_90"), (12, 4), 900),
        (("--cuda-version", "11", "--arch", "sm_90a"), (11, 0), 900),
        (("--arch", "compute_120"), (13, 0), 1200),
        (("--arch", "75"), (13, 0), 750),
    ],
)
def test_versions(arguments: tuple[str, ...], version: tuple[int, int], architecture: int):
    options = source_options(parser().parse_args(["check", *arguments, "a.cu"]))
    assert (options.cuda_version, options.architecture) == (version, architecture)


@pytest.mark.parametrize("wrong", [("--cuda-version", "twelve"), ("--arch", "hopper"), ("--arch", "sm_9")])
def test_no_versions(wrong: tuple[str, str]):
    with pytest.raises(UsageError, match="is no "):
        parser().parse_args(["check", *wrong, "a.cu"])


def test_files_can_be_parsed_anew():
    assert source_options(parser().parse_args(["check", "--no-cache", "a.cu"])) == SourceOptions()


@pytest.mark.parametrize(
    ("text", "extent"),
    [
        ("32", (32, 1, 1)),
        ("16,8", (16, 8, 1)),
        ("4, 4, 2", (4, 4, 2)),
        ("*", (None, 1, 1)),
        ("*,*,*", (None, None, None)),
        ("2147483647", (2147483647, 1, 1)),
    ],
)
def test_extents(text: str, extent: tuple[int | None, ...]):
    assert analysis("--block-dim", text).block_dim == extent
    assert analysis(f"--grid-dim={text}").grid_dim == extent


def test_levels_come_in_their_own_order_and_once():
    assert analysis("--level", "inter-block", "--level=intra-warp,inter-block").levels == (
        Level.INTRA_WARP,
        Level.INTER_BLOCK,
    )


def test_parameters():
    assert analysis("--param", "n=-3", "--param=m.rows=0x10", "--param", "k=007").params == (
        ("n", -3),
        ("m.rows", 16),
        ("k", 7),
    )


def test_policies():
    options = analysis(
        "--strict",
        "--warp-lockstep",
        "--no-asserts",
        "--kernel=f",
        "--assume",
        "n > 0",
        "--timeout=2.5",
        "--program-timeout=20",
    )
    assert options == AnalysisOptions(
        kernels=("f",),
        assume=("n > 0",),
        asserts=False,
        strict=True,
        warp_lockstep=True,
        time_limit=2.5,
        program_limit=20.0,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND (see 'hgrd --help')"),
        (["check"], "the following arguments are required: PATH (see 'hgrd check --help')"),
        (["check", "--bogus", "a.cu"], "unrecognized arguments: --bogus (see 'hgrd --help')"),
        (
            ["check", "a.cu", "--block-dim", "0"],
            "argument --block-dim: a block has at least one element along each axis, not 0 (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--grid-dim", "-1"],
            "argument --grid-dim: '-1' is neither a number nor * (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--block-dim", "1,2,3,4"],
            "argument --block-dim: '1,2,3,4' has more than three extents (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--grid-dim", "2147483648"],
            "argument --grid-dim: 2147483648 is more than CUDA allows (2147483647) (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--param", "junk"],
            "argument --param: 'junk' is not NAME=INTEGER (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--level", "warp"],
            "argument --level: 'warp' is none of intra-warp, intra-block, inter-block (see 'hgrd check --help')",
        ),
        (
            ["check", "a.cu", "--timeout", "nan"],
            "argument --timeout: nan is not a positive number (see 'hgrd check --help')",
        ),
        (["check", "a.cu", "-j", "x"], "argument -j/--jobs: 'x' is not a number (see 'hgrd check --help')"),
        (["check", "a.cu", "--assume", " "], "argument --assume: the condition is empty (see 'hgrd check --help')"),
    ],
)
def test_what_makes_no_sense_is_said(arguments: list[str], message: str):
    with pytest.raises(UsageError) as error:
        parser().parse_args(arguments)
    assert str(error.value) == message


def test_classes_of_facts_to_do_without():
    options = analysis("--no-fact", "loop-bound", "--no-fact=assert")
    assert options.without == {FactKind.LOOP_BOUND, FactKind.ASSERT}
    assert not options.asserts
    assert analysis("--no-fact=guard").asserts
    with pytest.raises(UsageError, match="'option' is none of assert, guard, dimension, relation, loop-bound,"):
        analysis("--no-fact=option")
