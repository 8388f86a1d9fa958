"""The ``askfirst`` command: its commands, and how errors become one line and an exit code.

Exit codes: 0 ok, 1 a gate failed, 2 usage or input, 3 model or service failure, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from . import chat, demo, doctor, domains, evaluate, experiment, paths, plan, report, scenarios

__all__ = ["app", "exit_code", "run"]

app = typer.Typer(
    name="askfirst",
    help="Ask a few well-chosen questions first, then answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("chat")(chat.chat)
app.command("plan")(plan.plan)
app.command("eval")(evaluate.evaluate)
app.command("report")(report.report)
app.command("doctor")(doctor.doctor)
app.add_typer(scenarios.app, name="scenarios")
app.add_typer(paths.app, name="paths")
app.add_typer(domains.app, name="domains")
app.add_typer(experiment.app, name="experiment")


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks; may stand anywhere.")] = False,
) -> None:
    """Ask a few well-chosen questions first, then answer."""
    del debug  # taken out by run(), which shows the tracebacks; declared here for the help page
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"askfirst {installed('askfirst')}")
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
        command = getattr(getattr(error, "ctx", None), "command_path", "askfirst")
        said = " ".join(error.format_message().split()) if hasattr(error, "format_message") else one_line(error)
        typer.echo(f"askfirst: {said.rstrip('.')}. Try '{command} --help'.", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("\nInterrupted.", err=True)
        sys.exit(130)
    except SystemExit as end:
        # Typer ends a broken pipe with 1, which here means that a gate failed. The reader of the pipe has had enough.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(0)
        if end.code == 130:
            typer.echo("\nInterrupted.", err=True)
        sys.exit(end.code)
    except Exception as error:
        known = exit_code(error)
        if debug or known is None:
            raise
        typer.echo(f"askfirst: {one_line(error)}", err=True)
        sys.exit(known)
    sys.exit(code if isinstance(code, int) else 0)


def exit_code(error: BaseException) -> int | None:
    """The exit code for ``error``, None for an error that nobody foresaw."""
    from ...domains import AskfirstError, InputError
    from ...models import ModelError, ModelSpecError

    if isinstance(error, InputError | ModelSpecError | OSError):
        return 2
    return 3 if isinstance(error, AskfirstError | ModelError) else None


def one_line(error: BaseException) -> str:
    """``error`` for a person, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


if __name__ == "__main__":
    run()
