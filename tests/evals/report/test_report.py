from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack, InputError
from askfirst.evals import ConversationRecord, HeuristicJudge, RunFolder, RunFolderError, write_report
from askfirst.simulators import TranscriptMessage

from tests.evals.support import CREATED, Bench, people, planned, record

CONDITIONS = ["context_free", "static:1", "context_rich"]


def run_of(
    path: Path, pack: DomainPack, records: list[ConversationRecord], conditions: list[str] = CONDITIONS, **update: Any
) -> Path:
    with RunFolder.create(path, planned(pack, people(4), conditions, **update), created=CREATED) as folder:
        for each in records:
            folder.append(each)
    return path


def full(shift: int = 0, **rest: Any) -> list[ConversationRecord]:
    return [
        record(
            f"everyday-{i:02}",
            c,
            min(5, 1 + n + i % 2 + shift),
            pair=f"p{i // 2}",
            risk="high" if i % 2 else "low",
            **rest,
        )
        for i in range(4)
        for n, c in enumerate(CONDITIONS)
    ]


def page(path: Path) -> str:
    return write_report(path)[0].read_text("utf-8")


class Outside(HTMLParser):
    """Collects what a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "iframe", "object", "img"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("src", "href", "xlink:href") and not (value or "").startswith("#")):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


async def test_the_report_of_a_real_run_is_one_page_that_needs_nothing_else(
    toy_pack: DomainPack, tmp_path: Path
) -> None:
    bench = Bench(toy_pack, tmp_path / "run", judge=HeuristicJudge(toy_pack))
    await bench.run(people(6), CONDITIONS, repeats=2)
    html = page(bench.path)
    outside = Outside()
    outside.feed(html)
    assert outside.found == []
    assert re.findall(r"url\((?!#)|@import|https?://(?!www\.w3\.org)", html) == []
    text = " ".join(outside.text)
    for wanted in (
        *CONDITIONS,
        "Everyday",
        "Same question, two people",
        "Should I skip weekend number",
        "Worst of repeats",
    ):
        assert wanted in text
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_the_numbers_of_the_summary_stand_in_the_page_and_in_the_markdown(toy_pack: DomainPack, tmp_path: Path) -> None:
    html_file, markdown_file = write_report(run_of(tmp_path / "run", toy_pack, full(asked=("mood",))))
    html, markdown = html_file.read_text("utf-8"), markdown_file.read_text("utf-8")
    assert (html_file.name, markdown_file.name) == ("report.html", "report.md")
    for text in (html, markdown):
        assert "static:1 scored 2.50 of 5 with 1.0 questions on average; context_free scored 1.50." in text
        assert "Difference on the same 4 scenarios: +1.00" in text
        assert "4 / 4" in text
    assert "| context_rich | 3.50 |" in markdown


def test_the_offline_backend_is_labelled(toy_pack: DomainPack, tmp_path: Path) -> None:
    label = "Offline reference backend: checks the pipeline, says nothing about any LLM."
    for text in (p.read_text("utf-8") for p in write_report(run_of(tmp_path / "a", toy_pack, full(), offline=True))):
        assert label in text
    assert label not in page(run_of(tmp_path / "b", toy_pack, full()))


def test_a_judge_that_is_the_assistants_model_is_flagged(toy_pack: DomainPack, tmp_path: Path) -> None:
    flag = "is the same model as the assistant"
    assert flag in page(run_of(tmp_path / "a", toy_pack, full(), judge_model="m"))
    assert flag not in page(run_of(tmp_path / "b", toy_pack, full()))
    assert flag not in page(run_of(tmp_path / "c", toy_pack, full(), judge_model="m", offline=True))


def test_a_pattern_judge_of_a_real_model_is_flagged(toy_pack: DomainPack, tmp_path: Path) -> None:
    flag = "The judge is the offline rubric"
    assert flag in page(run_of(tmp_path / "a", toy_pack, full(), judge_model="offline"))
    assert flag not in page(run_of(tmp_path / "b", toy_pack, full(), judge_model="offline", offline=True))


def test_text_of_people_and_models_cannot_become_markup(toy_pack: DomainPack, tmp_path: Path) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} | `x`"
    records = full(
        title=attack,
        profile={"mood": attack},
        transcript=(
            TranscriptMessage(role="user", content=attack),
            TranscriptMessage(role="assistant", content=attack),
        ),
        notes=(attack,),
    )[:-1]
    records.append(record("everyday-03", "context_rich", error=attack))
    outside = Outside()
    html_file, markdown_file = write_report(run_of(tmp_path / "$x_1$ <b>", toy_pack, records, data=attack))
    outside.feed(html_file.read_text("utf-8"))
    assert outside.found == []
    assert attack in "".join(outside.text)
    assert "<script" not in markdown_file.read_text("utf-8")


def test_failures_are_listed_and_counted(toy_pack: DomainPack, tmp_path: Path) -> None:
    records = [
        record("everyday-00", "context_free", error="ModelTimeout: m: no reply"),
        record("everyday-01", "context_free", error="ModelTimeout: m: no reply"),
        record("everyday-02", "context_free", unscored="InvalidStructuredOutput"),
    ]
    html = page(run_of(tmp_path / "run", toy_pack, records))
    assert "ModelTimeout: m: no reply" in html
    assert "everyday-01 / context_free / repeat 0" in html
    assert "InvalidStructuredOutput" in html
    assert "The run is not complete: 3 of 12" in html
    assert "Nothing was scored" in html


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_run_with_little_or_nothing_in_it_has_a_report(toy_pack: DomainPack, tmp_path: Path, count: int) -> None:
    html = page(run_of(tmp_path / "run", toy_pack, full()[:count]))
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL).casefold()
    assert ">None<" not in html


def test_a_difference_that_may_be_chance_is_called_so(toy_pack: DomainPack, tmp_path: Path) -> None:
    records = [record(f"everyday-{i:02}", "context_free", s) for i, s in enumerate([1, 5, 2, 4])]
    records += [record(f"everyday-{i:02}", "static:1", s) for i, s in enumerate([5, 1, 4, 3])]
    assert "so it may be chance" in page(run_of(tmp_path / "run", toy_pack, records, ["context_free", "static:1"]))


def test_the_difference_is_told_whichever_condition_was_named_first(toy_pack: DomainPack, tmp_path: Path) -> None:
    html = page(run_of(tmp_path / "run", toy_pack, full(), CONDITIONS[::-1]))
    assert "Difference on the same 4 scenarios: +1.00" in html
    assert "Against context_free" in html


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([5, 4, 3, 3], ["static:1 gained most over context_free", "static:1 gained least"]),
        ([2, 1, 2, 1], ["static:1 came nearest to context_free", "static:1 lost most against context_free"]),
    ],
)
def test_a_conversation_to_read_is_not_called_a_gain_that_it_is_not(
    scores: list[int], said: list[str], toy_pack: DomainPack, tmp_path: Path
) -> None:
    records = [record(f"everyday-{i:02}", "context_free", 2) for i in range(4)]
    records += [record(f"everyday-{i:02}", "static:1", s) for i, s in enumerate(scores)]
    html = page(run_of(tmp_path / "run", toy_pack, records, ["context_free", "static:1"]))
    assert all(text in html for text in said)


def test_several_runs_stand_side_by_side(toy_pack: DomainPack, tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", toy_pack, full())
    second = run_of(tmp_path / "second", toy_pack, full(1), model="other-model")
    html = write_report([first, second], tmp_path / "both.html")[0].read_text("utf-8")
    assert html.count('<section class="run">') == 2
    assert "2 runs side by side" in html
    assert "other-model" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert "different scenarios" not in html
    fewer = run_of(tmp_path / "fewer", toy_pack, full()[:6], limit=2)
    for file in write_report([first, fewer], tmp_path / "other.html"):
        assert "different scenarios" in file.read_text("utf-8")
    with pytest.raises(InputError, match=r"several runs .* --out FILE"):
        write_report([first, second])


def test_the_same_run_gives_the_same_bytes(toy_pack: DomainPack, tmp_path: Path) -> None:
    path = run_of(tmp_path / "run", toy_pack, full())
    assert page(path) == page(path)


def test_markdown_can_be_asked_for_by_name(toy_pack: DomainPack, tmp_path: Path) -> None:
    html, markdown = write_report(run_of(tmp_path / "run", toy_pack, full()), tmp_path / "out" / "short.md")
    assert (html.name, markdown.name) == ("short.html", "short.md")
    assert markdown.read_text("utf-8").startswith("# askfirst report")


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="not a run folder"):
        write_report(tmp_path)
    with pytest.raises(InputError):
        write_report([])


def test_a_page_that_cannot_be_written_is_said(toy_pack: DomainPack, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match="cannot be written"):
        write_report(run_of(tmp_path / "run", toy_pack, full()), tmp_path / "file" / "report.html")


def test_a_broken_record_is_named(toy_pack: DomainPack, tmp_path: Path) -> None:
    path = run_of(tmp_path / "run", toy_pack, full())
    (path / "conversations.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1"):
        write_report(path)
