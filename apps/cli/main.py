"""The ``askfirst`` command: its commands, and how errors become one line and an exit code.

Exit codes: 0 ok, 1 a gate failed, 2 usage or input, 3 model or service failure, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from . import chat, demo, doctor, domains, evaluate, experiment, options, paths, plan, report, scenarios
from .terminal import note, one_line, say

__all__ = ["app", "exit_code", "run"]

app = typer.Typer(
    name="askfirst",
    help="Ask a few well-chosen questions first, then answer.",
    epilog=options.example("askfirst demo", "askfirst chat --country GB"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", epilog=options.example("askfirst demo --limit 5 --out runs/demo"))(demo.demo)
app.command("chat", epilog=options.example('askfirst chat "Should I lend my cousin my savings?" --country GB'))(
    chat.chat
)
app.command("plan", epilog=options.example("askfirst plan penguin_mini --store paths --limit 5"))(plan.plan)
app.command(
    "eval", epilog=options.example("askfirst eval penguin_mini -c context_free -c raise --limit 5 --out runs/first")
)(evaluate.evaluate)
app.command("report", epilog=options.example("askfirst report runs/first runs/second --out both.html"))(report.report)
app.command("doctor", epilog=options.example("askfirst doctor --model openai:gpt-4o-mini"))(doctor.doctor)
app.add_typer(scenarios.app, name="scenarios")
app.add_typer(paths.app, name="paths")
app.add_typer(domains.app, name="domains")
app.add_typer(experiment.app, name="experiment")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks; can be placed anywhere.")] = False,
) -> None:
    """Ask a few well-chosen questions first, then answer."""
    del debug  # taken out by run(), which shows the tracebacks; declared here for the help page
    if version:
        from .. import __version__

        say(f"askfirst {__version__}")
        raise typer.Exit


def run(arguments: list[str] | None = None) -> None:
    """Entry point of the installed command; ends the process with the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        code = app([a for a in given if a != "--debug"], prog_name="askfirst", standalone_mode=False)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except typer.TyperException as error:
        sys.exit(_misused(error))
    except (KeyboardInterrupt, typer.Abort):
        note("\nInterrupted.")
        sys.exit(130)
    except SystemExit as end:
        # Typer ends a broken pipe with 1, which here means that a gate failed. The reader of the pipe has had enough.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(0)
        if end.code == 130:
            note("\nInterrupted.")
        sys.exit(end.code)
    except Exception as error:
        known = exit_code(error)
        if debug or known is None:
            raise
        note(f"askfirst: {_told(error)}")
        sys.exit(known)
    sys.exit(code if isinstance(code, int) else 0)


def exit_code(error: BaseException) -> int | None:
    """The exit code for ``error``, None for an error that nobody foresaw."""
    from ...domains import AskfirstError, InputError
    from ...models import ModelError, ModelSpecError

    if isinstance(error, InputError | ModelSpecError | OSError):
        return 2
    return 3 if isinstance(error, AskfirstError | ModelError) else None


def _misused(error: typer.TyperException) -> int:
    """Say what is wrong with the command line; its exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":  # a private class; the help page is printed by now
        return 0
    command = getattr(getattr(error, "ctx", None), "command_path", "askfirst")
    said = error.format_message() if hasattr(error, "format_message") else str(error)
    note(f"askfirst: {one_line(said).rstrip('.')}. Try '{command} --help'.")
    return 2


def _told(error: Exception) -> str:
    """``error`` for a person, on one line: of a file, its name and what the system says, without the number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return one_line(f"{os.fsdecode(error.filename)}: cannot be read or written ({error.strerror.lower()})")
    return one_line(error)


if __name__ == "__main__":
    run()
