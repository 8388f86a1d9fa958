"""The scripted replies of ``data/fidelity_suite.yaml``, and what the detectors make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from askfirst.domains import DomainPack
from askfirst.simulators.fidelity.reply_checks import Situation, check_reply

FOLDER = Path(__file__).parent / "data"
DETECTORS = ("role_swap", "fourth_wall", "profile_dump", "repeated", "contradiction", "leak", "refused")


@dataclass(frozen=True)
class Reply:
    """One reply, the fault it has (None: none), and the situation."""

    text: str
    fault: str | None
    situation: Situation


@dataclass(frozen=True)
class Figures:
    """One detector over the suite."""

    found: int
    faulty: int
    accused: int
    good: int

    @property
    def recall(self) -> float:
        return self.found / self.faulty

    @property
    def false_alarms(self) -> float:
        return self.accused / self.good


def suite(pack: DomainPack, name: str = "suite") -> tuple[list[Reply], list[Reply]]:
    """The bad and the good replies; those of "held_out" were not used to improve the detectors."""
    raw = yaml.safe_load((FOLDER / f"fidelity_{name}.yaml").read_text(encoding="utf-8"))
    bad, good = ([_reply(entry, raw["profile"], pack) for entry in raw[key]] for key in ("bad", "good"))
    return bad, good


def kinds(reply: Reply, pack: DomainPack) -> set[str]:
    """The faults that the detectors see, without attributes."""
    return {f.partition(":")[0] for f in check_reply(reply.text, reply.situation, pack)}


def figures(pack: DomainPack, name: str = "suite") -> dict[str, Figures]:
    """Detector -> how many faulty replies it finds and how many good ones it accuses."""
    bad, good = suite(pack, name)
    return {
        d: Figures(
            found=sum(d in kinds(r, pack) for r in bad if r.fault == d),
            faulty=sum(r.fault == d for r in bad),
            accused=sum(d in kinds(r, pack) for r in good),
            good=len(good),
        )
        for d in DETECTORS
    }


def _reply(entry: Mapping[str, Any], profile: Mapping[str, str], pack: DomainPack) -> Reply:
    asks = entry.get("asks")
    tells = entry.get("tells", [asks] if asks else [])
    told = entry.get("told", [])
    return Reply(
        text=entry["text"],
        fault=entry.get("fault"),
        situation=Situation(
            agent=entry.get("agent") or pack.attribute(asks).question,
            tell={a: profile[a] for a in tells},
            expected=dict(profile),
            hidden={a: v for a, v in profile.items() if a not in (*tells, *told)},
            told=tuple(told),
            before=tuple((q, a) for q, a in entry.get("before", [])),
        ),
    )
