"""What is written is read again as it was, in every format, whatever text is in it; and nothing half-written stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack, InputError, Profile, Scenario, UnknownNameError
from askfirst.simulators import load_scenarios, packaged_scenarios
from askfirst.simulators.datasets.write import (
    Format,
    checked_format,
    format_of,
    replace_scenarios,
    scenario_record,
    write_scenarios,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# Emoji with joiners, right-to-left with marks, combining, controls, line separators, CSV and JSON syntax, NUL.
NASTY = [
    "👩‍👩‍👧 مرحبا \u202eabc\u202c e\u0301 𝕏",
    "a\u2028b\x85c\x0bd\x1ee",
    'x;"y",\t{z}\r\n=1+1',
    "null\x00byte",
    "\ufeffmark",
    "None",
    "lone\ud800surrogate",
    "\udc80",
    "a\rb",
]
TARGETS: dict[Format, str] = {"jsonl": "out.jsonl", "csv": "out.csv", "published": "pub", "public": "pub"}

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=30))
said = texts.filter(
    lambda t: bool(t.strip()) and bool(t.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip())
)
values = said.map(str.strip).filter(bool)
in_one_folder = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_stored(text: str) -> str:
    """A lone surrogate fits into no file: it becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@st.composite
def scenarios(draw: st.DrawFn, pack: DomainPack) -> list[Scenario]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        raw = draw(st.dictionaries(st.sampled_from(pack.attribute_ids), values, max_size=6))
        raw |= {"self_harm_history": draw(st.sampled_from(["None", "Yes"])), "mental_health_status": "None"}
        found.append(
            Scenario(
                id=f"s{number}",
                domain=draw(st.sampled_from(pack.domain_names)),
                title=draw(texts),
                query=draw(said),
                profile=pack.profile({a: as_stored(v) for a, v in raw.items()}),
                source=draw(texts),
                split=draw(st.sampled_from(["plan", "eval", None])),
                pair=draw(st.none() | values),
                changed=draw(st.sampled_from(["age", None])),
                risk=draw(st.sampled_from(["low", "high", None])),
                country=draw(st.sampled_from(["PT", None])),
                background=draw(texts),
            )
        )
    return found


def written_and_read(found: list[Scenario], folder: Path, pack: DomainPack, to: Format) -> list[Scenario]:
    import shutil

    out = folder / TARGETS[to]
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    write_scenarios(found, out, pack, to=to)
    return load_scenarios(out, pack)


def comparable(scenario: Scenario, *fields: str) -> dict[str, Any]:
    record = scenario.model_dump()
    texts = {f: record[f] for f in fields}
    return {f: as_stored(v) if isinstance(v, str) else v for f, v in texts.items()}


@pytest.mark.parametrize("to", ["jsonl", "csv"])
@in_one_folder
@given(data=st.data())
def test_every_field_comes_back(tmp_path: Path, pack: DomainPack, to: Format, data: st.DataObject) -> None:
    found = data.draw(scenarios(pack))
    again = written_and_read(found, tmp_path, pack, to)
    fields = tuple(Scenario.model_fields)
    assert [comparable(s, *fields) for s in again] == [comparable(s, *fields) for s in found]


@pytest.mark.parametrize("to", ["published", "public"])
@in_one_folder
@given(data=st.data())
def test_what_the_others_formats_hold_comes_back(
    tmp_path: Path, pack: DomainPack, to: Format, data: st.DataObject
) -> None:
    found = data.draw(scenarios(pack))
    again = written_and_read(found, tmp_path, pack, to)
    if to == "public":  # a file for each domain, in their order
        found = sorted(found, key=lambda s: s.domain.lower())

    def held(scenario: Scenario) -> dict[str, Any]:
        record = comparable(scenario, *Scenario.model_fields)
        return {**record, "query": record["query"].strip()}

    assert [held(s) for s in again] == [held(s) for s in found]


@pytest.mark.parametrize("to", ["jsonl", "csv", "published", "public"])
def test_none_stays_a_value_and_unknown_stays_unknown(tmp_path: Path, pack: DomainPack, to: Format) -> None:
    profile = pack.profile({"self_harm_history": "None", "mental_health_status": "none", "age": "NA", "gender": "null"})
    [again] = written_and_read([Scenario(id="a", domain="Life", query="Hm?", profile=profile)], tmp_path, pack, to)
    assert again.profile.values == {"mental_health_status": "none", "self_harm_history": "None"}


def test_the_packaged_scenarios_through_all_formats_in_turn(tmp_path: Path, pack: DomainPack) -> None:
    first = packaged_scenarios(pack)
    write_scenarios(first, tmp_path / "a.csv", pack)
    write_scenarios(load_scenarios(tmp_path / "a.csv", pack), tmp_path / "b.jsonl", pack)
    assert load_scenarios(tmp_path / "b.jsonl", pack) == first
    write_scenarios(first, tmp_path / "c", pack, to="published")
    write_scenarios(load_scenarios(tmp_path / "c", pack), tmp_path / "d", pack, to="public")
    last = load_scenarios(tmp_path / "d", pack)
    assert sorted(last, key=lambda s: s.id) == sorted(first, key=lambda s: s.id)


def test_the_published_pair_has_the_authors_keys_and_one_profile_for_neighbours(
    tmp_path: Path, pack: DomainPack
) -> None:
    one, other = pack.profile({"age": "41"}), pack.profile({"age": "42"})
    found = [
        Scenario(id=str(i), domain="Life", title="T", query=f"{i}?", profile=p) for i, p in enumerate([one, one, other])
    ]
    write_scenarios(found, tmp_path / "out", pack, to="published")
    profiles = json.loads((tmp_path / "out" / "ordered_scenario_generated_data_profiles.json").read_text())
    queries = json.loads((tmp_path / "out" / "ordered_user_generated_queries.json").read_text())
    assert [p["Age"] for p in profiles] == ["41", "42"]
    assert set(profiles[0]) == {
        *("Scenario", "Domain", "Age", "Gender", "Marital Status", "Profession", "Economic Status", "Health Status"),
        *("Education Level", "Mental Health Status", "Past Self-Harm History", "Emotional State"),
    }
    assert [q["Queries"] for q in queries] == [["0?", "1?"], ["2?"]]
    assert [q["User_Profile"] for q in queries] == profiles


def test_the_public_layout_has_its_fields(tmp_path: Path, pack: DomainPack) -> None:
    scenario = Scenario(
        id="a",
        domain="Health",
        query="Hm?",
        profile=pack.profile({"age": "41", "self_harm_history": "None"}),
        source="penguin_real:AskDocs",
    )
    counted = write_scenarios([scenario], tmp_path / "out", pack, to="public")
    [post] = json.loads((tmp_path / "out" / "data" / "real_data" / "health" / "posts.json").read_text())
    assert post["subreddit"] == "AskDocs"
    assert post["gender"] == "Not specified"
    assert post["self_harm_history"] == "None"
    assert counted == {"scenarios": 1}
    [again] = load_scenarios(tmp_path / "out", pack)
    assert again == scenario


@pytest.mark.parametrize("to", ["jsonl", "csv", "published", "public"])
def test_what_no_format_can_hold_is_counted(tmp_path: Path, pack: DomainPack, to: Format) -> None:
    first, *rest = packaged_scenarios(pack)[:10]
    told = first.model_copy(update={"profile": Profile(values={"age": "41"}, declined=frozenset({"gender"}))})
    assert write_scenarios([told, *rest], tmp_path / TARGETS[to], pack, to=to) == {"scenarios": 10, "declined": 1}


@pytest.mark.parametrize("to", ["published", "public"])
def test_our_own_fields_in_the_authors_formats_are_checked(tmp_path: Path, pack: DomainPack, to: Format) -> None:
    write_scenarios(packaged_scenarios(pack)[:1], tmp_path / "out", pack, to=to)
    [file] = [f for f in (tmp_path / "out").rglob("*.json") if '"askfirst"' in f.read_text("utf-8")]
    written = file.read_text("utf-8")
    for old, new, says in (
        ('"risk": "high"', '"risk": "huge"', "risk"),
        ('"risk": "high"', '"risky": "high"', "did you mean 'risk'"),
        ('"risk": "high"', '"changed": "agee"', "did you mean 'age'"),
    ):
        assert old in written
        file.write_text(written.replace(old, new), "utf-8")
        with pytest.raises(DataError, match=says):
            load_scenarios(tmp_path / "out", pack)


def test_files_without_our_fields_stay_without_them(tmp_path: Path, pack: DomainPack) -> None:
    """What came from the authors' files goes back as it was."""
    plain = Scenario(id="a", domain="Life", query="Hm?", profile=pack.profile({"age": "41"}))
    for to, changes in (
        ("published", {"id": "synthetic-0001-01", "source": "penguin_synthetic"}),
        ("public", {"source": "penguin_real:travel", "background": "Much."}),
    ):
        write_scenarios([plain.model_copy(update=changes)], tmp_path / to, pack, to=to)
        assert not [f for f in (tmp_path / to).rglob("*.json") if '"askfirst"' in f.read_text("utf-8")]


@pytest.mark.parametrize("to", ["jsonl", "csv", "published", "public"])
def test_nothing_is_left_where_the_scenarios_end_in_an_error(tmp_path: Path, pack: DomainPack, to: Format) -> None:
    def broken() -> Iterator[Scenario]:
        yield packaged_scenarios(pack)[0]
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        write_scenarios(broken(), tmp_path / "deep" / TARGETS[to], pack, to=to)
    assert list((tmp_path / "deep").iterdir()) == []


def test_what_exists_is_refused_and_left_alone(tmp_path: Path, pack: DomainPack) -> None:
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        write_scenarios([], tmp_path / "out.jsonl", pack)
    assert (tmp_path / "out.jsonl").read_text() == "mine"
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="already exists"):
        write_scenarios([], tmp_path / "link.csv", pack)


def test_replacing_keeps_the_old_file_until_the_new_one_is_whole(tmp_path: Path, pack: DomainPack) -> None:
    out = tmp_path / "out.jsonl"
    replace_scenarios(packaged_scenarios(pack)[:2], out, pack)

    def broken() -> Iterator[Scenario]:
        yield packaged_scenarios(pack)[5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_scenarios(broken(), out, pack)
    assert len(load_scenarios(out, pack)) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]


def test_names_of_formats() -> None:
    assert format_of("x/Y.JSONL") == "jsonl"
    assert checked_format("public") == "public"
    with pytest.raises(InputError, match=r"end it in \.jsonl or \.csv"):
        format_of("out.xlsx")
    with pytest.raises(UnknownNameError, match="did you mean 'published'"):
        checked_format("publishd")


def test_a_record_has_no_empty_fields(pack: DomainPack) -> None:
    scenario = Scenario(id="a", domain="Life", query="Hm?", profile=pack.profile({}))
    assert scenario_record(scenario) == {"id": "a", "domain": "Life", "query": "Hm?", "profile": {}}


def test_attributes_that_are_called_like_fields(tmp_path: Path, toy_pack: DomainPack) -> None:
    attributes = [a.model_copy(update={"id": "title"}) if a.id == "mood" else a for a in toy_pack.attributes]
    pack = toy_pack.model_copy(update={"attributes": tuple(attributes)})
    scenario = Scenario(
        id="a", domain="Everyday", title="The title", query="Hm?", profile=pack.profile({"age": "4", "title": "glad"})
    )
    write_scenarios([scenario], tmp_path / "out.csv", pack)
    assert "profile.title" in (tmp_path / "out.csv").read_text().splitlines()[0]
    assert load_scenarios(tmp_path / "out.csv", pack) == [scenario]
