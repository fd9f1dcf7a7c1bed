"""The command line. Here is only what `--help` needs: everything else is loaded when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

import typer

from picklecheck import __version__
from picklecheck.cli import leaving, output
from picklecheck.errors import PicklecheckError

__all__ = ["main"]

FINE, CULPRITS, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
# typer's base of all errors of use: it has no public name, and another module in older versions
_USE_ERROR: type[Any] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="picklecheck",
    help="Finds every object that stops a dataset, loader or process target from being pickled, with its exact path.",
    epilog="Example: picklecheck explain train.py:dataset",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: it need not load rich
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(str, Enum):
    """The forms that a report can be printed in."""

    TEXT = "text"
    JSON = "json"


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


@app.command("explain", epilog="Example: picklecheck explain 'train.py:make_loader(4)' --start-method spawn")
def _explain(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="What is to cross: module:attribute or path/to/file.py:attribute; behind the colon may stand "
            ".attributes, [items] and calls with literal arguments.",
        ),
    ],
    via: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How it crosses: pickle, process, pool, executor, result, queue, dataloader, torch-spawn, "
            "megengine-launcher, interpreter, or a registered name. Left out: a loader, process, pool or executor as "
            "it starts its workers, all else as an argument of a Process.",
        ),
    ] = None,
    start_method: Annotated[
        str | None,
        typer.Option(
            metavar="spawn|forkserver|fork|all", help="How the process starts, or all ways. Left out: as it does here."
        ),
    ] = None,
    protocol: Annotated[int | None, typer.Option(help="Pickle protocol. Left out: the one that is used there.")] = None,
    timeout: Annotated[float, typer.Option(min=0.0, metavar="SECONDS", help="How long one step may take.")] = 30.0,
    roundtrip: Annotated[
        bool, typer.Option("--roundtrip/--no-roundtrip", help="Whether to unpickle it in another process too.")
    ] = True,
    form: Annotated[Format, typer.Option("--format", help="A screen, or JSON for other programs.")] = Format.TEXT,
    show_all: Annotated[bool, typer.Option("--all", help="Show every path, values, the protocol.")] = False,
    hazards: Annotated[
        bool, typer.Option("--hazards", help="Show what may go wrong there without an exception.")
    ] = False,
) -> None:
    """Show what stops an object from reaching another process: each culprit, its path, why, and what to do.

    Exits with 0 if it arrives, 1 if not, 2 if TARGET cannot be loaded.
    """
    from picklecheck.api import Options
    from picklecheck.cli import target as targets
    from picklecheck.cli.explain import explain as run

    name = targets.parse(target).expression or None
    options = Options(
        name=name, via=via, start_method=start_method, protocol=protocol, timeout=timeout, roundtrip=roundtrip
    )
    fine = run(target, options, as_json=form is Format.JSON, show_all=show_all, hazards=hazards)
    raise typer.Exit(FINE if fine else CULPRITS)


@app.command("kinds", epilog="Example: picklecheck kinds weakref")
def _kinds(
    slug: Annotated[str | None, typer.Argument(metavar="[KIND]", help="One kind. Left out: list all kinds.")] = None,
) -> None:
    """List the kinds of objects that cannot be pickled, or show one: why, and ways out with code."""
    from picklecheck.cli.kinds import show

    show(slug)


@app.command("guard", epilog="Example: picklecheck guard train.py src")
def _guard(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, and folders whose Python files are read.")
    ],
    form: Annotated[Format, typer.Option("--format", help="A screen, or JSON for other programs.")] = Format.TEXT,
) -> None:
    """Find what runs again when a child process imports the files: a missing main guard, work done at import.

    The files are read and never run. Exits with 0 if nothing stops a child (a warning does not), 1 if something
    does, 2 if there is no such path.
    """
    from picklecheck.cli.guard import guard as run

    raise typer.Exit(FINE if run(paths, as_json=form is Format.JSON) else CULPRITS)


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
        return _complain(str(error))
    except _USE_ERROR as error:
        return _complain(f"{error.format_message().rstrip('.')} (see picklecheck --help)")
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else FINE


def _complain(message: str) -> int:
    output.write(sys.stderr, f"picklecheck: {output.pen(sys.stderr).clean(message)}")
    return WRONG_USE
