"""Conversations in one SQLite file, from any thread and any event loop. Imported only when such a file is opened.

LangGraph has two savers for SQLite: the plain one refuses async calls, and the async one is bound to the loop that made
it and refuses sync calls there. A session API that works sync and async needs both, so the plain one is extended: its
own lock makes it safe to call from worker threads.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

__all__ = ["SqliteFileSaver"]


class SqliteFileSaver(SqliteSaver):
    """A checkpointer on one file: write-ahead log, waits for other writers, deleted text is overwritten.

    Args:
        path: the file; made if there is none, readable by its owner only.
        busy_seconds: how long to wait for another process that is writing.

    Raises:
        sqlite3.Error: the file is no database, or cannot be written.
        OSError: the file cannot be made.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        path.touch(mode=0o600)
        connection = sqlite3.connect(path, timeout=busy_seconds, check_same_thread=False)
        try:
            super().__init__(connection)
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA synchronous=NORMAL")
            self._create_tables(busy_seconds)
        except BaseException:
            connection.close()
            raise

    def _create_tables(self, busy_seconds: float) -> None:
        # SQLite does not wait while another process switches the new file to the write-ahead log: try again.
        give_up = time.monotonic() + busy_seconds
        while True:
            try:
                return self.setup()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        def read() -> tuple[CheckpointTuple, ...]:
            return tuple(self.list(config, filter=filter, before=before, limit=limit))

        for checkpoint in await asyncio.to_thread(read):
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete all of a conversation, from the file and, unless another process is reading it, from its log."""
        super().delete_thread(thread_id)
        with self.lock:
            self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        with self.lock:
            self.conn.close()
