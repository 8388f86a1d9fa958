"""The errors of the evaluation layer.

AskfirstError
├── InputError                     what a person gave cannot be used (exit code 2)
│   ├── RunExists                  there is something in the output folder already
│   ├── RunLocked                  another process writes to the run folder
│   ├── SettingsDiffer             a run is resumed with other settings
│   └── RunFolderError             no run folder there, or one that cannot be written or read
└── EvalError                      an evaluation cannot go on
    ├── RewardUnscored             the planner asked for a reward and the judge gave no score
    └── RunAborted                 every conversation fails, so going on would only repeat the failure
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..domains import AskfirstError, InputError

__all__ = [
    "EvalError",
    "RewardUnscored",
    "RunAborted",
    "RunExists",
    "RunFolderError",
    "RunLocked",
    "SettingsDiffer",
    "folder_errors",
]


class EvalError(AskfirstError):
    """An evaluation cannot go on."""


class RewardUnscored(EvalError):
    """The judge gave no score for an answer, so the planner has no reward.

    Attributes:
        scenario_id: the scenario that was answered.
        attributes: ids of the attributes that were revealed, sorted.
        reason: the judge's reason.
    """

    def __init__(self, scenario_id: str, attributes: frozenset[str], reason: str) -> None:
        self.scenario_id, self.attributes, self.reason = scenario_id, tuple(sorted(attributes)), reason
        revealed = ", ".join(self.attributes) or "nothing"
        super().__init__(f"no reward for scenario {scenario_id!r} with {revealed} revealed: unscored ({reason})")


class RunAborted(EvalError):
    """The run was stopped because its conversations fail one after the other, or the key was refused.

    Attributes:
        failed: how many conversations failed.
        cause: class name of the last failure, such as ``"ModelUnreachable"``.
    """

    def __init__(self, failed: int, cause: str, detail: str = "") -> None:
        self.failed, self.cause = failed, cause
        lines = detail.strip().splitlines()
        count = "1 conversation" if failed == 1 else f"{failed} conversations"
        super().__init__(f"the run stopped after {count} failed: {cause}" + (f": {lines[0]}" if lines else ""))


class RunFolderError(InputError):
    """A run folder cannot be made, read or written.

    Attributes:
        folder: the run folder.
    """

    def __init__(self, folder: object, problem: str) -> None:
        self.folder = str(folder)
        super().__init__(f"{folder}: {problem}")


class RunExists(RunFolderError):
    """There is something in the output folder already: a run, unless ``problem`` says what else."""

    def __init__(
        self, folder: object, problem: str = "already holds a run; choose another folder, or continue it with --resume"
    ) -> None:
        super().__init__(folder, problem)


class RunLocked(RunFolderError):
    """Another process writes to the run folder."""

    def __init__(self, folder: object) -> None:
        super().__init__(
            folder, "another process is writing to this run; wait for it to finish, or choose another folder"
        )


class SettingsDiffer(RunFolderError):
    """A run is resumed with other settings than it was started with.

    Attributes:
        differences: setting -> (value of the run, value now), as text.
    """

    def __init__(self, folder: object, differences: Mapping[str, tuple[str, str]]) -> None:
        self.differences = dict(differences)
        listed = "; ".join(f"{name}: {old} before, {new} now" for name, (old, new) in self.differences.items())
        super().__init__(
            folder, f"was run with other settings ({listed}); resume it with the same settings, or start a new run"
        )


@contextmanager
def folder_errors(folder: object, done: str) -> Iterator[None]:
    """Makes an ``OSError`` one of ``folder``, which cannot be ``done``: "read", "written" or "made"."""
    try:
        yield
    except OSError as error:
        raise RunFolderError(folder, f"cannot be {done} ({error.strerror or error})") from error
