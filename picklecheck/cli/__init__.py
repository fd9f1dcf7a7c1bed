"""The command line. Here is only what `--help` needs: everything else is loaded when a command runs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from picklecheck import __version__
from picklecheck.cli import leaving, output
from picklecheck.errors import PicklecheckError

if TYPE_CHECKING:
    from picklecheck.api import Options

__all__ = ["main"]

FINE, CULPRITS, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
# typer's base of all errors of use: it has no public name, and another module in older versions
_USE_ERROR: type[Any] = typer.BadParameter.__mro__[2]

_EXPLAIN_EXAMPLES = """\b
Examples:
  picklecheck explain train.py:dataset
  picklecheck explain "train.py:make_task()" --via pool
  picklecheck explain "train.py:make_loader(4)" --start-method all
"""

_FIX_EXAMPLES = """\b
Examples:
  picklecheck fix train.py:dataset
  picklecheck fix train.py:dataset | git apply
  picklecheck fix train.py:dataset --write
  picklecheck fix train.py --guard
"""

_RUN_EXAMPLES = """\b
Examples:
  picklecheck run train.py --epochs 1
  picklecheck run --start-method forkserver train.py --epochs 1
  picklecheck run --report out.json -m pytest tests
"""

app = typer.Typer(
    name="picklecheck",
    help="Finds every object that stops a dataset, loader or process target from being pickled, with its exact path.",
    epilog="Example: picklecheck explain train.py:dataset",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: it need not load rich
    context_settings={"help_option_names": ["-h", "--help"]},
)


_FORMATS = ("text", "json")
_Format = Annotated[str, typer.Option("--format", metavar="text|json", help="A screen, or JSON for other programs.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"picklecheck {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


_Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="What is to cross: module:attribute or path/to/file.py:attribute; behind the colon may stand "
        ".attributes, [items] and calls with literal arguments.",
    ),
]
_Via = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How it crosses: pickle, process, pool, executor, result, queue, dataloader, torch-spawn, "
        "megengine-launcher, interpreter, or a registered name. Left out: a loader, process, pool or executor as "
        "it starts its workers, all else as an argument of a Process.",
    ),
]
_StartMethod = Annotated[
    str | None,
    typer.Option(
        metavar="spawn|forkserver|fork|all",
        help="How the process starts; all: a verdict for each way. Left out: the object's own way, or the "
        "program's; where that is fork, spawn, since fork pickles nothing. Asked for fork, the report answers for "
        "spawn and says so.",
    ),
]
_Protocol = Annotated[
    str | None, typer.Option(metavar="NUMBER", help="Pickle protocol. Left out: the one that is used there.")
]
_Timeout = Annotated[
    str,
    typer.Option(
        metavar="SECONDS",
        help="The longest that pickling may make no progress, that the other process may take to start, and to "
        "unpickle. The loading of TARGET is not bounded.",
    ),
]


@app.command("explain", epilog=_EXPLAIN_EXAMPLES)
def _explain(
    target: _Target,
    via: _Via = None,
    start_method: _StartMethod = None,
    protocol: _Protocol = None,
    timeout: _Timeout = "30",
    roundtrip: Annotated[
        bool, typer.Option("--roundtrip/--no-roundtrip", help="Whether to unpickle it in another process too.")
    ] = True,
    form: _Format = "text",
    show_all: Annotated[bool, typer.Option("--all", help="Show every path, values, the protocol.")] = False,
    hazards: Annotated[
        bool, typer.Option("--hazards", help="Show what may go wrong there without an exception.")
    ] = False,
) -> None:
    """Show what stops an object from reaching another process.

    Each culprit is shown with its path, why it cannot cross, and what to do. A file that would start processes when it
    is loaded is not loaded: then that is what is shown.

    Exits with 0 if it arrives, 1 if not, 2 if TARGET cannot be loaded.
    """
    from picklecheck.cli import values
    from picklecheck.cli.explain import explain as run

    as_json = values.choice("--format", form, _FORMATS) == "json"
    options = _options(target, via, start_method, protocol, timeout, roundtrip=roundtrip)
    fine = run(target, options, _words(target, options), as_json=as_json, show_all=show_all, hazards=hazards)
    raise typer.Exit(FINE if fine else CULPRITS)


@app.command("fix", epilog=_FIX_EXAMPLES)
def _fix(
    target: _Target,
    via: _Via = None,
    start_method: _StartMethod = None,
    protocol: _Protocol = None,
    timeout: _Timeout = "30",
    guard: Annotated[
        bool,
        typer.Option("--guard", help="TARGET is a file: move what starts processes under its main guard."),
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the files; left out: print a diff.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --write: also files with changes that git does not have.")
    ] = False,
) -> None:
    """Print the fixes of what stops an object, or write them.

    Each is tried before: sent to another process that imports the edited files, loaded there, and sent on. The diff
    stands on stdout, all else on stderr.

    Exits with 0 if nothing remains to be fixed, 1 if something does, 2 if TARGET cannot be loaded or a file not be
    written; then no file is changed.
    """
    from picklecheck.cli import fix

    if force and not write:
        raise typer.BadParameter("--force goes with --write")
    if guard:
        if any((via, start_method, protocol)):
            raise typer.BadParameter("--guard only reads the file: leave out --via, --start-method and --protocol")
        fine = fix.guard(target, f"picklecheck fix {shlex.quote(target)} --guard", write=write, force=force)
    else:
        options = _options(target, via, start_method, protocol, timeout)
        fine = fix.fix(target, options, f"picklecheck fix {_words(target, options)}", write=write, force=force)
    raise typer.Exit(FINE if fine else CULPRITS)


def _options(
    target: str, via: str | None, start_method: str | None, protocol: str | None, timeout: str, roundtrip: bool = True
) -> Options:
    from picklecheck.api import Options
    from picklecheck.cli import target as targets
    from picklecheck.cli import values

    return Options(
        name=targets.parse(target).expression or None,
        via=via,
        start_method=start_method,
        protocol=values.integer("--protocol", protocol),
        timeout=values.number("--timeout", timeout),
        roundtrip=roundtrip,
    )


def _words(target: str, options: Options) -> str:
    """Give the words that ask about the same target in the same way."""
    given = {"--via": options.via, "--start-method": options.start_method, "--protocol": options.protocol}
    words = [str(word) for pair in given.items() if pair[1] is not None for word in pair]
    return shlex.join([target, *words, *([] if options.timeout == 30 else ["--timeout", f"{options.timeout:g}"])])


@app.command(
    "run",
    epilog=_RUN_EXAMPLES,
    # what stands behind the name of the program is the program's
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def _run_program(
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM...",
            help="A script with its arguments, or -m and a module with its arguments: what would stand behind python.",
        ),
    ],
    start_method: Annotated[
        str | None,
        typer.Option(
            metavar="spawn|forkserver|fork",
            help="How processes start where the program does not choose itself: forkserver is Linux from Python 3.14 "
            "on, spawn is macOS and Windows.",
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write every boundary that was crossed to this file, as JSON.")
    ] = None,
) -> None:
    """Run a program; its pickling errors then say which object it was.

    What it prints and raises stays as it is; an exception of pickling or unpickling says more at its end: the path of
    each culprit, and the line that sent it. Child processes are watched too.

    Exits with the program's exit code, 2 if there is no such program.
    """
    from picklecheck.cli.run import run

    raise typer.Exit(run(program, start_method=start_method, report=report))


@app.command("kinds", epilog="Example: picklecheck kinds weakref")
def _kinds(
    slugs: Annotated[list[str] | None, typer.Argument(metavar="[KIND]...", help="Left out: list all kinds.")] = None,
) -> None:
    """List the kinds of what cannot cross, or show some.

    The page of a kind says why, and gives ways out with code.
    """
    from picklecheck.cli.kinds import show

    show(slugs or [])


@app.command("guard", epilog="Example: picklecheck guard train.py src")
def _guard(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, and folders whose Python files are read.")
    ],
    form: _Format = "text",
) -> None:
    """Find what a child process would run again when it imports files.

    Such as the start of processes without a main guard, and work done at import. The files are read and never run.

    Exits with 0 if nothing stops a child (a warning does not), 1 if something does, 2 if there is no such path or
    Python file, or else if a file cannot be read.
    """
    from picklecheck.cli import values
    from picklecheck.cli.guard import Outcome
    from picklecheck.cli.guard import guard as run

    outcome = run(paths, as_json=values.choice("--format", form, _FORMATS) == "json")
    codes = {Outcome.FINE: FINE, Outcome.STOPPED: CULPRITS, Outcome.UNREAD: WRONG_USE}
    raise typer.Exit(codes[outcome])


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        args: the words behind the program's name; None for those of this process.

    Returns:
        The exit code: 0 fine, 1 culprits, 2 the target cannot be loaded or the use is wrong, 130 interrupted.
    """
    words = list(sys.argv[1:] if args is None else args)
    try:
        code = _run(words or ["--help"])
    except KeyboardInterrupt:
        code = INTERRUPTED
    if args is None:
        leaving.soon(code)
    return code


def _run(words: list[str]) -> int:
    command = typer.main.get_command(app)
    try:
        code = command.main(args=words, prog_name="picklecheck", standalone_mode=False)
    except PicklecheckError as error:
        message = str(error)
        return _complain(f"{message} (see {_page(words)})" if message.startswith("--") else message)
    except _USE_ERROR as error:
        return _complain(f"{error.format_message().rstrip('.')} (see {_page(words)})")
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else FINE


def _page(words: list[str]) -> str:
    """Give the command that prints the help for these words."""
    known = [command.name for command in app.registered_commands]
    return f"picklecheck {words[0]} --help" if words[0] in known else "picklecheck --help"


def _complain(message: str) -> int:
    output.write(sys.stderr, f"picklecheck: {output.pen(sys.stderr).clean(message)}")
    return WRONG_USE
