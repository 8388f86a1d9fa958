"""Conversations outlive the step, the process and parallel use; and are gone when forgotten."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from askfirst.graphs import (
    AnswerReply,
    CheckpointError,
    QuestionReply,
    RaiseAgent,
    RaiseSettings,
    RaiseState,
    UnknownThreadError,
    compile_raise_graph,
    open_checkpointer,
)
from langgraph.types import Command

CHILD = """
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("doubles", {conftest!r})
doubles = importlib.util.module_from_spec(spec); spec.loader.exec_module(doubles)
from askfirst.graphs import RaiseAgent, RaiseSettings
parts = doubles.Parts(doubles.wide_pack())
agent = RaiseAgent(parts.components(), RaiseSettings(budget=3), {file!r})
"""


def child(code: str, file: Path, *, strict: bool = False) -> subprocess.Popen[str]:
    """A Python process with an agent on ``file``; warnings are errors there too."""
    conftest = str(Path(__file__).with_name("conftest.py"))
    env = {**os.environ, **({"LANGGRAPH_STRICT_MSGPACK": "true"} if strict else {})}
    command = [sys.executable, "-W", "error", "-c", CHILD.format(conftest=conftest, file=str(file)) + code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=env)


async def test_a_killed_process_resumes_between_question_and_answer(parts, tmp_path):
    file = tmp_path / "c.sqlite"
    process = child(
        'agent.start("What now? job=nurse", thread_id="t"); r = agent.reply("t", "mood=low")\n'
        "print(r.attribute, flush=True); sys.stdin.read()",
        file,
    )
    assert process.stdout.readline().strip() == "health"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with RaiseAgent(parts.components(), RaiseSettings(budget=3), file) as agent:
        asked = await agent.aresume("t")
        assert (asked.attribute, asked.asked) == ("health", 2)
        assert not parts.calls
        asked = await agent.areply("t", "health=good")
        done = await agent.areply("t", None)
    assert done.known == {"job": "nurse", "mood": "low", "health": "good"}
    assert (done.asked, done.declined) == (("mood", "health", "money"), ("money",))
    assert parts.asked_of_extraction == ["health"]


async def test_a_process_killed_while_a_model_works_on_an_answer_keeps_the_answer(parts, tmp_path):
    file = tmp_path / "c.sqlite"
    process = child(
        "import time\n"
        'agent.start("What now?", thread_id="t")\n'
        'async def hang(context): print("working", flush=True); time.sleep(60)\n'
        'parts.assess = hang; agent.reply("t", "mood=low")',
        file,
    )
    assert process.stdout.readline().strip() == "working"
    process.kill()
    process.communicate()
    with RaiseAgent(parts.components(), RaiseSettings(budget=3), file) as agent:
        asked = await agent.areply("t", "mood=low")  # The client tries again with the same reply.
        assert (asked.attribute, asked.asked) == ("health", 2)
        assert (await agent.astate("t"))["known"] == {"mood": "low"}


@pytest.mark.parametrize("where", ["memory", "sqlite"])
async def test_the_whole_state_comes_back_equal_and_is_plain_json(parts, make_store, make_path, tmp_path, where):
    """After each turn: the live values of the run, what the saver gives back, and their JSON are equal, types too."""
    path = make_path("mood", "health", "age", score=4.25)
    parts_and_store = parts.components(store=make_store([path]))
    saver = open_checkpointer("memory" if where == "memory" else f"sqlite:{tmp_path / 'c.sqlite'}")
    app = compile_raise_graph(parts_and_store, RaiseSettings(budget=3, country="GB"), saver)
    config, keys = {"configurable": {"thread_id": "t"}}, list(RaiseState.__annotations__)
    opening = {"query": "What now?\u2019 job=nurse \u4f60\u597d"}
    for given in (opening, Command(resume="mood=low home=far"), Command(resume=""), Command(resume="age=40")):
        live = [v async for v in app.astream(given, config, stream_mode="values", output_keys=keys) if "query" in v][-1]
        live.pop("__interrupt__", None)
        state = (await app.aget_state(config)).values
        as_json = json.loads(json.dumps(state))
        assert state == live == as_json
        assert _types(state) == _types(live) == _types(as_json)
    assert {k: state[k] for k in ("query", "known", "asked", "declined", "examples", "stop_reason")} == {
        **opening,
        "known": {"job": "nurse", "mood": "low", "home": "far", "age": "40"},
        "asked": ["mood", "health", "age"],
        "declined": ["health"],
        "examples": [path.path.model_dump(mode="json")],
        "stop_reason": "budget",
    }
    crisis = {"configurable": {"thread_id": "crisis"}}
    live = [v async for v in app.astream({"query": "DANGER"}, crisis, stream_mode="values", output_keys=keys)][-1]
    state_after_crisis = (await app.aget_state(crisis)).values
    assert state_after_crisis == live
    assert _types(state_after_crisis) == _types(json.loads(json.dumps(live)))
    if where == "sqlite":
        saver.close()
        with RaiseAgent(parts_and_store, RaiseSettings(budget=3), tmp_path / "c.sqlite") as again:
            assert await again.astate("t") == state


async def test_text_that_is_no_valid_unicode_is_kept_as_far_as_it_is(parts, tmp_path):
    with RaiseAgent(parts.components(), RaiseSettings(budget=1), tmp_path / "c.sqlite") as agent:
        await agent.astart("What \ud800 now?\x00", thread_id="t")
        done = await agent.areply("t", "mood=low \udfff\x00")
        state = await agent.astate("t")
    assert (state["query"], done.known) == ("What \ufffd now?\ufffd", {"mood": "low"})
    assert state["exchanges"] == [["About mood?", "mood=low \ufffd\ufffd"]]


def _types(value: object) -> object:
    if isinstance(value, dict):
        return {k: _types(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_types(v) for v in value]
    return type(value)


def test_strict_msgpack_gives_the_same_state_without_a_warning(parts, tmp_path):
    code = (
        'agent.start("What now?", thread_id="t"); agent.reply("t", "mood=low"); agent.close()\n'
        "agent = RaiseAgent(parts.components(), RaiseSettings(budget=3), {file!r})\n"
        'import json; print(json.dumps(agent.state("t"), sort_keys=True)); agent.close()'
    )
    states = []
    for strict in (False, True):
        file = tmp_path / f"{strict}.sqlite"
        process = child(code.format(file=str(file)), file, strict=strict)
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        states.append(json.loads(output))
    assert states[0] == states[1]
    assert states[1]["known"] == {"mood": "low"}


async def test_a_death_at_any_write_of_a_checkpoint_loses_nothing(parts, tmp_path):
    """The n-th write fails, for every n; then the client does again what it had done, in a new agent."""
    deaths = 0
    while True:
        saver = open_checkpointer("memory")
        writes = itertools.count()
        aput, aput_writes = saver.aput, saver.aput_writes

        def dying(write):
            async def wrapped(*args, **kwargs):
                if next(writes) == deaths:  # noqa: B023 - used up before the next round
                    raise OSError("killed here")
                return await write(*args, **kwargs)

            return wrapped

        saver.aput, saver.aput_writes = dying(aput), dying(aput_writes)
        died, done = await _insistent_client(parts, saver)
        assert done.known == {"job": "nurse", "mood": "v0"}
        assert (done.asked, done.declined) == (("mood", "health"), ("health",))
        if not died:
            break
        deaths += 1
    assert deaths > 15


async def _insistent_client(parts, saver) -> tuple[bool, AnswerReply]:
    """After a failure it looks where the conversation stands, and repeats only what was not taken."""
    died, reply = False, None
    for text in ("What now? job=nurse", "mood=v0", None):
        while True:
            agent, before = RaiseAgent(parts.components(), RaiseSettings(budget=2), saver), reply
            try:
                reply = await (agent.astart(text, thread_id="t") if reply is None else agent.areply("t", text))
                break
            except OSError:
                assert not died
                died = True
            try:
                reply = await agent.aresume("t")
            except UnknownThreadError:
                continue
            if reply != before:
                break
    return died, reply


async def test_fifty_parallel_conversations_on_one_file_all_finish(parts, tmp_path):
    """Half of them through one agent, half through a second with a connection of its own."""
    file = f"sqlite:{tmp_path / 'c.sqlite'}"
    settings = RaiseSettings(budget=2)

    async def one(agent: RaiseAgent, number: int) -> AnswerReply:
        reply = await agent.astart("What now?", thread_id=f"t{number}")
        while isinstance(reply, QuestionReply):
            reply = await agent.areply(reply.thread_id, f"{reply.attribute}=v{number}")
        return reply

    with (
        RaiseAgent(parts.components(), settings, file) as first,
        RaiseAgent(parts.components(), settings, file) as second,
    ):
        done = await asyncio.gather(*(one((first, second)[n % 2], n) for n in range(50)))
    assert [d.known for d in done] == [{"mood": f"v{n}", "health": f"v{n}"} for n in range(50)]


def test_parallel_processes_share_one_new_file(tmp_path):
    file = tmp_path / "c.sqlite"
    code = (
        "for n in range(8):\n"
        '    t = f"{os.getpid()}-{n}"; agent.start("What now?", thread_id=t); agent.reply(t, "mood=low")\n'
        "agent.close()"
    )
    processes = [child(code, file) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=120)
    assert [p.returncode for p in processes] == [0, 0]
    with sqlite3.connect(file) as connection:
        [(threads,)] = connection.execute("SELECT COUNT(DISTINCT thread_id) FROM checkpoints")
    connection.close()
    assert threads == 16


def test_a_file_that_another_process_is_writing_is_waited_for(tmp_path):
    file = tmp_path / "c.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE unrelated (a)")
    other.execute("BEGIN IMMEDIATE")
    done = threading.Event()

    def finish() -> None:
        other.execute("COMMIT")
        done.set()

    timer = threading.Timer(0.2, finish)
    timer.start()
    saver = open_checkpointer(file)
    assert done.is_set()
    saver.close()
    timer.join()
    other.close()


async def test_forgetting_leaves_no_word_of_the_person_on_disk(parts, tmp_path):
    file = tmp_path / "c.sqlite"

    def on_disk(word: str) -> bool:
        return any(word.encode() in f.read_bytes() for f in tmp_path.iterdir())

    with RaiseAgent(parts.components(), RaiseSettings(budget=3), file) as agent:
        for thread, word in (("t", "xylophone"), ("other", "marzipan")):
            await agent.astart("What now?", thread_id=thread)
            await agent.areply(thread, f"mood={word}")
        assert on_disk("xylophone")
        await agent.aforget("t")
        assert not on_disk("xylophone")
        assert on_disk("marzipan")
        with pytest.raises(UnknownThreadError):
            await agent.astate("t")
        await agent.aforget("t")
        assert isinstance(await agent.aresume("other"), QuestionReply)
        await agent.astart("What now?", thread_id="t")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_forgetting_works_in_memory(parts):
    agent = RaiseAgent(parts.components())
    await agent.astart("What now?", thread_id="t")
    await agent.aforget("t")
    with pytest.raises(UnknownThreadError):
        await agent.areply("t", "mood=low")


async def test_a_checkpointer_that_was_given_stays_open(parts, tmp_path):
    saver = open_checkpointer(tmp_path / "c.sqlite")
    with RaiseAgent(parts.components(), RaiseSettings(), saver) as agent:
        asked = await agent.astart("What now?")
    with RaiseAgent(parts.components(), RaiseSettings(), saver) as agent:
        assert await agent.aresume(asked.thread_id) == asked
    history = [c async for c in saver.alist({"configurable": {"thread_id": asked.thread_id}}, limit=2)]
    assert len(history) == 2
    saver.close()
    saver.close()


def test_a_checkpoint_file_that_cannot_be_used_is_one_clear_line(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be looked at as if it were one " * 20)
    cases = {
        str(text): "not a database",
        f"sqlite:{tmp_path / 'missing' / 'c.sqlite'}": "folder does not exist",
        str(tmp_path): "cannot be",
        "sqlite:": "names no file",
        "sqlite::memory:": "write 'memory'",
        "redis://localhost": "not a known kind",
    }
    for spec, problem in cases.items():
        with pytest.raises(CheckpointError, match=problem) as error:
            open_checkpointer(spec)
        assert "\n" not in str(error.value)
    assert text.read_text().startswith("not a database, but")
