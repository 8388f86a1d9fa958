"""Connections are reused within a loop, and none outlives it."""

from __future__ import annotations

import asyncio
import gc

from askfirst.models import Limits, Message, connect, run_sync
from askfirst.models.endpoint.per_loop import PerLoop

from tests.models.conftest import FakeOpenAI, chat

ASK = [Message(role="user", content="Hello?")]


class Resource:
    def __init__(self) -> None:
        self.closed = False


async def close(resource: Resource) -> None:
    for _ in range(9):  # as a network client, it takes a few turns of the loop
        await asyncio.sleep(0)
    resource.closed = True


def test_one_resource_per_loop_closed_at_its_end() -> None:
    made: list[Resource] = []

    def make() -> Resource:
        made.append(Resource())
        return made[-1]

    per_loop = PerLoop(make, close)

    async def use() -> None:
        first, second = await asyncio.gather(per_loop.get(), per_loop.get())
        assert first is second is await per_loop.get()
        assert not first.closed

    asyncio.run(use())
    run_sync(use())
    assert [resource.closed for resource in made] == [True, True]
    assert not per_loop._held


def test_dropped_before_the_loop_ends_it_is_closed_with_the_loop() -> None:
    resource = Resource()

    async def use() -> None:
        await PerLoop(lambda: resource, close).get()
        gc.collect()

    asyncio.run(use())
    assert resource.closed


def test_dropped_after_the_loop_stopped_it_is_closed_with_the_loop() -> None:
    resource = Resource()
    per_loop: PerLoop[Resource] | None = PerLoop(lambda: resource, close)
    with asyncio.Runner() as runner:
        runner.run(per_loop.get())
        per_loop = None
        gc.collect()
        assert not resource.closed
    assert resource.closed


async def test_dropped_in_a_loop_that_runs_on_it_is_closed_soon() -> None:
    resource = Resource()
    await PerLoop(lambda: resource, close).get()
    gc.collect()
    for _ in range(20):
        await asyncio.sleep(0)
    assert resource.closed


def test_a_loop_that_was_never_shut_down_is_forgotten() -> None:
    per_loop = PerLoop(Resource, close)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(per_loop.get())
    loop.close()
    asyncio.run(per_loop.get())
    assert loop not in per_loop._held


async def test_connections_are_reused(server: FakeOpenAI) -> None:
    server.always(lambda _: chat("Hello."))
    model = connect("openai:m", base_url=server.url, limits=Limits(retries=0))
    for _ in range(4):
        await model.complete(ASK)
    assert server.connections == 1


def test_connections_end_with_their_loop(server: FakeOpenAI) -> None:
    server.always(lambda _: chat("Hello."))
    model = connect("openai:m", base_url=server.url, limits=Limits(retries=0))
    for _ in range(3):
        run_sync(model.complete(ASK))
    assert server.connections == 3
    assert server.all_connections_end(within=5)
