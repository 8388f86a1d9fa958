"""Prompts as files with strict variables, and fences around text that is data.

A prompt is ``prompts/<name>.md`` in the package that uses it: sections that start with a line ``--- system ---``,
``--- user ---`` or ``--- assistant ---``, each a Jinja2 template. Exactly the variables that it names must be given.
"""

from __future__ import annotations

import hashlib
import random
import re
import secrets
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast, get_args

from .chat import Message, Role
from .errors import PromptError
from .safe_text import safe_text

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["Prompt", "fence", "new_nonce"]

_SECTION = re.compile(r"^---\s*(\w+)\s*---[ \t]*$", re.MULTILINE)
_NONCE = re.compile(r"[0-9a-f]{8,64}")
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")


class Prompt:
    """One prompt. Made by ``Prompt.load`` or from text.

    Attributes:
        name: for error messages, such as ``askfirst.agents/responder``.
        hash: first 12 hex digits of the SHA-256 of its text, the same on every platform.
        variables: the names it uses.
    """

    def __init__(self, text: str, *, name: str) -> None:
        self.name = name
        unified = text.replace("\r\n", "\n")
        self.hash = hashlib.sha256(unified.encode()).hexdigest()[:12]
        self._sections = _sections(unified, name)
        self.variables = _variables(self._sections, name)

    @classmethod
    def load(cls, package: str, name: str) -> Prompt:
        """The prompt ``prompts/<name>.md`` of ``package``. Raises ``PromptError`` if there is none, or it is broken."""
        label = f"{package}/{name}"
        try:
            text = (files(package) / "prompts" / f"{name}.md").read_text(encoding="utf-8")
        except (OSError, ModuleNotFoundError) as error:
            raise PromptError(label, f"{package} has no file prompts/{name}.md") from error
        except UnicodeDecodeError as error:
            raise PromptError(label, "the file is not UTF-8") from error
        return cls(text, name=label)

    def messages(self, **variables: Any) -> list[Message]:
        """The messages with ``variables`` filled in. Raises ``PromptError`` if they are not exactly those it uses."""
        from jinja2 import TemplateError

        if missing := sorted(self.variables - variables.keys()):
            raise PromptError(self.name, f"variables used but not passed: {', '.join(missing)}")
        if unused := sorted(variables.keys() - self.variables):
            raise PromptError(self.name, f"variables passed but not used: {', '.join(unused)}")
        try:
            return [
                Message(role=role, content=template.render(variables).strip()) for role, template in self._templates
            ]
        except TemplateError as error:
            # Jinja names the missing attribute and shows no value.
            raise PromptError(self.name, f"cannot be filled in: {error.message}") from None

    @cached_property
    def _templates(self) -> list[tuple[Role, Template]]:
        # Compiling takes milliseconds, and a planner fills in the same prompt thousands of times.
        environment = _environment()
        return [(role, environment.from_string(body)) for role, body in self._sections]


def fence(text: str, label: str, nonce: str) -> str:
    """``text`` as fenced data: nothing inside can close the fence, because it cannot hold ``nonce``.

    Args:
        text: what people or models under test wrote. NUL and lone surrogates become U+FFFD.
        label: what it is, for the model to read, such as ``answer``.
        nonce: from ``new_nonce``, a fresh one for each prompt.

    Raises:
        ValueError: ``label`` or ``nonce`` has not the form of one.
    """
    if not _LABEL.fullmatch(label):
        raise ValueError(f"a fence's label may hold letters, digits, blanks, '-' and '_', not {label!r}")
    if not _NONCE.fullmatch(nonce):
        raise ValueError("a nonce is 8 to 64 lower-case hex digits; make one with new_nonce()")
    # The replacement holds no hex digit, so that no new occurrence can form around it.
    inside = safe_text(text)
    if nonce in inside.lower():  # next to never, and a pattern is slow to compile
        inside = re.sub(nonce, "[***]", inside, flags=re.IGNORECASE)
    return f"<<<{label} {nonce}\n{inside}\n{label} {nonce}>>>"


def new_nonce(rng: random.Random | None = None) -> str:
    """16 hex digits: from ``rng`` where a run must be repeatable, else from the system's secure source."""
    return f"{rng.getrandbits(64):016x}" if rng is not None else secrets.token_hex(8)


def _sections(text: str, name: str) -> list[tuple[Role, str]]:
    heads = list(_SECTION.finditer(text))
    if not heads:
        raise PromptError(name, "has no section; start one with a line such as --- system ---")
    if text[: heads[0].start()].strip():
        raise PromptError(name, "has text before its first section")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    sections: list[tuple[Role, str]] = []
    for head, end in zip(heads, ends, strict=True):
        role = head.group(1)
        if role not in get_args(Role):
            raise PromptError(name, f"unknown section {role!r}; known: {', '.join(get_args(Role))}")
        body = text[head.end() : end].strip()
        if not body:
            raise PromptError(name, f"section {role!r} is empty")
        sections.append((cast(Role, role), body))
    return sections


def _variables(sections: list[tuple[Role, str]], name: str) -> frozenset[str]:
    from jinja2 import TemplateSyntaxError, meta

    environment = _environment()
    found: set[str] = set()
    for role, body in sections:
        try:
            found |= meta.find_undeclared_variables(environment.parse(body))
        except TemplateSyntaxError as error:
            raise PromptError(name, f"section {role!r}, line {error.lineno}: {error.message}") from None
    return frozenset(found)


def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    # No autoescape: the output is plain text for a model, not HTML.
    return Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
