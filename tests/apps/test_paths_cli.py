from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from askfirst.apps.path_files import PUBLISHED, UNKNOWN, path_line, read_paths
from askfirst.domains import DataError, DomainPack
from askfirst.testing.path_store import EXAM, MONEY, SLEEP, planned
from askfirst.vectorstore import ChromaPathStore, HashEmbedder, PlannedPath

from tests.apps.conftest import Outcome

Cli = Callable[..., Outcome]
CSV = "User Query,Best Path\n"


@pytest.fixture(autouse=True)
def _fast_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKFIRST_EMBEDDING", "hash")
    monkeypatch.setenv("ASKFIRST_STORE", "paths")
    monkeypatch.delenv("ASKFIRST_CHROMA_URL", raising=False)


@pytest.fixture
def stored(tmp_path: Path) -> list[PlannedPath]:
    """Three paths in the store, with everything that a path can carry."""
    paths = [
        planned(
            SLEEP,
            pack_version="1.0",
            score=4.1 + 0.2,
            prefix_scores=(1 / 3 + 1, 3.0, 4.3),
            scenario_id="health-1",
            seed=7,
            planned_at=datetime(2026, 11, 29, 12, 30, 1, 250, tzinfo=UTC),
        ),
        planned(MONEY, domain="Financial", pack_version="1.0", score=None, prefix_scores=(), planner="static"),
        planned("half \ud800 pair\x00\u2028 and 眠れない", domain="Life", pack="other", path=("x", "y")),
    ]
    with ChromaPathStore(tmp_path / "paths", HashEmbedder()) as store:
        store.add(paths)
    return paths


# ---- looking -------------------------------------------------------------------------------------------------------


def test_search_shows_the_nearest_first(cli: Cli, stored: list[PlannedPath]) -> None:
    lines = cli("paths", "search", "I cannot sleep", "-k", "2").out.splitlines()
    assert len(lines) == 2
    assert SLEEP in lines[0]
    assert "Health: emotional_state > age" in lines[0]


def test_search_as_json_gives_whole_paths(cli: Cli, stored: list[PlannedPath]) -> None:
    found = cli("paths", "search", MONEY, "--domain", "financial", "--json").json["found"]
    assert [f["query"] for f in found] == [MONEY]
    assert found[0]["similarity"] == pytest.approx(1, abs=1e-5)
    assert found[0]["id"] == stored[1].id


def test_list_has_an_order_a_limit_and_a_domain(cli: Cli, stored: list[PlannedPath]) -> None:
    listed = cli("paths", "list", "--json").json["paths"]
    assert [p["id"] for p in listed] == sorted(p.id for p in stored)
    assert len(cli("paths", "list", "--limit", "2").out.splitlines()) == 2
    assert MONEY in cli("paths", "list", "--domain", "Financial").out


def test_text_of_a_query_cannot_drive_the_terminal(cli: Cli, tmp_path: Path) -> None:
    with ChromaPathStore(tmp_path / "paths", HashEmbedder()) as store:
        store.add([planned("red \x1b[31m and\nnew line")])
    assert cli("paths", "list").out.count("\n") == 1
    assert "\x1b" not in cli("paths", "list").out


def test_stats_count_and_average(cli: Cli, stored: list[PlannedPath]) -> None:
    counted = cli("paths", "stats", "--json").json
    assert (counted["paths"], counted["without_score"], counted["evaluations"]) == (3, 1, 36)
    assert counted["mean_score"] == pytest.approx((4.3 + 4.25) / 2)
    assert counted["counts"]["domain"] == {"Financial": 1, "Health": 1, "Life": 1}
    assert counted["counts"]["planner"] == {"mcts": 2, "static": 1}
    assert counted["counts"]["attribute"]["age"] == 2
    text = cli("paths", "stats").out
    assert "3 paths in paths" in text
    assert "(1 without)" in text


@pytest.mark.parametrize("command", [("search", "x"), ("list",), ("stats",), ("export",)])
def test_no_store_is_one_line_and_makes_none(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    done = cli("paths", *command)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "holds no paths" in done.err
    assert not (tmp_path / "paths").exists()


def test_a_wrong_domain_names_the_right_one(cli: Cli, stored: list[PlannedPath]) -> None:
    done = cli("paths", "list", "--domain", "Helth")
    assert done.code == 2
    assert "'Health'" in done.err


# ---- export and import -----------------------------------------------------------------------------------------------


def test_export_and_import_give_back_exactly_the_same(cli: Cli, stored: list[PlannedPath], tmp_path: Path) -> None:
    assert cli("paths", "export", "--out", "a.jsonl").code == 0
    assert cli("paths", "import", "a.jsonl", "--store", "again").code == 0
    with ChromaPathStore(tmp_path / "again", HashEmbedder()) as again:
        assert list(again.paths()) == sorted(stored, key=lambda p: p.id)
    assert cli("paths", "export", "--store", "again").out == (tmp_path / "a.jsonl").read_text()


def test_export_overwrites_nothing(cli: Cli, stored: list[PlannedPath], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("mine")
    assert cli("paths", "export", "--out", "a.jsonl").code == 2
    assert (tmp_path / "a.jsonl").read_text() == "mine"


def test_import_says_what_it_did_and_again_does_nothing(cli: Cli, stored: list[PlannedPath], tmp_path: Path) -> None:
    changed = planned(MONEY, domain="Financial", pack_version="1.0", score=2.0, prefix_scores=())
    write(tmp_path / "b.jsonl", stored[0], changed, planned(EXAM))
    first, second = (cli("paths", "import", "b.jsonl", "--json").json for _ in range(2))
    assert (first["added"], first["replaced"], first["unchanged"], first["stored"]) == (1, 1, 1, 4)
    assert (second["added"], second["replaced"], second["unchanged"], second["stored"]) == (0, 0, 3, 4)


def test_import_shows_progress_in_batches(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", *(planned(f"{SLEEP} {n}") for n in range(2500)))
    done = cli("paths", "import", "b.jsonl")
    assert [line for line in done.err.splitlines() if line.startswith("Importing")] == [
        f"Importing: {n}/2500" for n in (0, 1000, 2000, 2500)
    ]


def test_an_older_file_without_seed_and_time_is_read(pack: DomainPack, tmp_path: Path) -> None:
    record = {k: v for k, v in planned(SLEEP).model_dump().items() if k not in ("seed", "planned_at")}
    (tmp_path / "old.jsonl").write_text(json.dumps(record) + "\n")
    assert read_paths(tmp_path / "old.jsonl", pack, refuse) == [planned(SLEEP)]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ('{"query": "x"', "line 2"),
        ('"x"', "line 2"),
        ('{"query": "x"}', "line 2, field 'domain'"),
        (path_line(planned(MONEY)).replace("4.25", "NaN", 1), "line 2"),
        (path_line(planned(MONEY)).replace('"score": 4.25', '"score": 6'), "line 2, field 'score'"),
        (path_line(planned(MONEY, pack_version="1.0")).replace('"age"', '"agee"'), "line 2.*'age'"),
        (path_line(planned(MONEY)).replace('"age"', '"emotional_state"'), "line 2.*repeats"),
        (path_line(planned(SLEEP, score=2.0)), "line 2.*another path.*line 1"),
    ],
    ids=["torn", "no object", "missing", "nan", "range", "unknown", "repeats", "twice"],
)
def test_a_bad_row_is_told_with_its_line_and_nothing_is_imported(cli: Cli, tmp_path: Path, row: str, text: str) -> None:
    (tmp_path / "b.jsonl").write_text(path_line(planned(SLEEP)) + row.strip() + "\n" + path_line(planned(EXAM)))
    done = cli("paths", "import", "b.jsonl")
    assert done.code == 2
    assert "Nothing was imported" in done.err
    assert "Traceback" not in done.err
    assert any(re.search(text, line) for line in done.err.splitlines())
    assert not (tmp_path / "paths").exists()


def test_all_bad_rows_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("{}\n" * 30)
    done = cli("paths", "import", "b.jsonl", "--json")
    assert [p["line"] for p in done.json["problems"]] == list(range(1, 31))
    assert "10 more problems" in done.err


def test_a_file_that_is_not_there(cli: Cli) -> None:
    done = cli("paths", "import", "nowhere.jsonl")
    assert (done.code, done.err.count("\n")) == (2, 1)


# ---- the published file ----------------------------------------------------------------------------------------------


def test_the_published_csv_is_read_as_it_is(pack: DomainPack, tmp_path: Path) -> None:
    file = tmp_path / "MCTS_path.csv"
    file.write_text(
        CSV
        + "\"I feel stressed and can not focus at work\",\"['Emotional State','Profession','Economic Status']\"\n"
        + "\"Looking for budgeting advice after rent increase\",\"['Economic Status','Profession']\"\n"
    )
    one, two = read_paths(file, pack, refuse)
    assert one.path == ("emotional_state", "profession", "economic_status")
    assert (one.score, one.prefix_scores, one.evaluations) == (None, (), 0)
    assert (one.planner, one.model, one.judge, one.pack, one.pack_version) == (
        *(PUBLISHED, UNKNOWN, UNKNOWN),
        *(pack.name, pack.version),
    )
    assert two.domain == "Financial"


def test_the_domain_of_the_published_csv_can_be_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(CSV + "A query,\"['Age']\"\n")
    assert cli("paths", "import", "p.csv", "--domain", "social").code == 0
    assert cli("paths", "list", "--json").json["paths"][0]["domain"] == "Social"


def test_one_query_of_two_people_stays_two_paths(pack: DomainPack, tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text(CSV + '"q","[\'Age\']"\n' + '"q","[\'Gender\']"\n' + '"q","[\'Age\']"\n')
    assert [p.path for p in read_paths(file, pack, refuse)] == [("age",), ("gender",)]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("__import__('os').system('touch hacked')", "must be a list"),
        ("[open('hacked', 'w').name]", "must be a list"),
        ("[" * 5000 + "]" * 5000, "must be a list"),
        ("(" * 3000, "must be a list"),
        ("['" + "x" * 20_000 + "']", "must be a list"),
        ("{'Age': 1}", "must be a list"),
        ("['Age', 3]", "must be a list"),
        ("['\\d']", "unknown attribute"),
        ("[]", "is empty"),
        ("['Age', 'age']", "repeats 'age'"),
        ("['Economc Status']", "did you mean 'Economic Status'"),
        ("", "must be a list"),
    ],
)
def test_no_cell_is_executed_or_guessed(cli: Cli, tmp_path: Path, cell: str, text: str) -> None:
    (tmp_path / "p.csv").write_text(CSV + "fine,\"['Age']\"\n" + f'bad,"{cell}"\n')
    done = cli("paths", "import", "p.csv")
    assert done.code == 2
    assert "line 3, field 'Best Path'" in done.err
    assert text in done.err
    assert not (tmp_path / "hacked").exists()
    assert not (tmp_path / "paths").exists()


def test_another_csv_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    assert "not an MCTS_path.csv" in cli("paths", "import", "p.csv").err
    (tmp_path / "q.csv").write_text(CSV)
    assert "holds no paths" in cli("paths", "import", "q.csv").err


# ---- two writers, and servers ----------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_before_it_starts(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", planned(SLEEP))
    with ChromaPathStore(tmp_path / "paths", HashEmbedder()) as other:
        other.claim()
        done = cli("paths", "import", "b.jsonl")
        planning = cli("plan", "penguin_mini", "--limit", "1")
    for refused in (done, planning):
        assert refused.code == 2
        assert "is writing to this store" in refused.err


def test_an_unreachable_server_is_one_line_and_exit_3(cli: Cli) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    done = cli("paths", "list", "--chroma-url", url)
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert url in done.err
    assert cli("paths", "stats", "--chroma-url", "nonsense").code == 2


def write(file: Path, *paths: PlannedPath) -> None:
    file.write_text("".join(path_line(path) for path in paths))


def refuse(error: DataError) -> Any:
    raise error
