"""Planned paths on a Chroma server (5.3): any number of processes may read and write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..domains import InputError
from .chroma import COLLECTION
from .collection import CollectionStore, short
from .errors import StoreUnreachable
from .path_store import Embedder

if TYPE_CHECKING:
    import httpx

__all__ = ["ChromaServerPathStore"]

_BATCH = 1000  # a server takes 40 MB in one request; a row with a long query may have 40 kB
_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 60.0


class ChromaServerPathStore(CollectionStore):
    """A ``PathStore`` on the Chroma server at ``url``, such as ``http://127.0.0.1:8000`` (``chroma run``).

    Any number of stores, in any number of processes, may read and write at once. May be used from several threads.
    The server's folder is the server's: opening it as a ``ChromaPathStore`` is refused. Chroma's own environment
    variables (``CHROMA_CLIENT_AUTH_PROVIDER``, ``CHROMA_CLIENT_AUTH_CREDENTIALS``) say how to log in.

    Args:
        collection: name of the collection; one holds the vectors of one embedding model.

    Raises, on opening:
        InputError: ``url`` is no URL of a server.
        StoreUnreachable: no Chroma server answers there within seconds.
        StoreMismatch: the collection was built with another embedding model, dimension, space or layout.
        StoreUnusable: the server runs on the folder of a ``ChromaPathStore``.
    """

    def __init__(self, url: str, embedder: Embedder, *, collection: str = COLLECTION) -> None:
        self._host, self._port, self._ssl = _address(url)
        super().__init__(url.rstrip("/"), embedder, home="server", batch=_BATCH)
        self._collection_name = collection
        self._mutex = threading.Lock()
        self._client: Any = None
        self._sessions: list[httpx.Client] = []
        self._collection: Any = None
        try:
            with self._reading():
                pass
        except BaseException:
            self.close()
            raise

    def claim(self) -> None:
        """Nothing is taken: a server orders its writers. See ``CollectionStore.claim``."""
        with self._reading():
            pass

    def close(self) -> None:
        with self._mutex:
            self._closed = True
            self._disconnect()

    def _exists(self) -> bool:
        with self._reading() as collection:
            return collection is not None

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with self._explained():
            yield self._connected(create=False)

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with self._explained():
            yield self._connected(create=True)

    def _connected(self, *, create: bool) -> Any:
        with self._mutex:
            self._refuse_if_closed()
            if self._client is None:
                self._client = self._connect()
            if self._collection is None:
                self._collection = self._open_collection(self._client, self._collection_name, create=create)
            return self._collection

    def _connect(self) -> Any:
        import chromadb
        import httpx
        from chromadb.config import Settings

        self._probe()
        # Plain HTTP needs no certificates, and loading them takes longer than a search.
        verify = None if self._ssl else False
        client = chromadb.HttpClient(
            host=self._host,
            port=self._port,
            ssl=self._ssl,
            settings=Settings(anonymized_telemetry=False, chroma_server_ssl_verify=verify),
        )
        self._sessions = _sessions_of(client)
        for session in self._sessions:
            # Chroma waits for ever, and has no setting for it: a server that hangs would hang the conversation.
            session.timeout = httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS)
        return client

    def _probe(self) -> None:
        """Chroma's client tells little about what it finds instead of a server."""
        import httpx

        scheme = "https" if self._ssl else "http"
        url = f"{scheme}://{self._host}:{self._port}/api/v2/heartbeat"
        reply = httpx.get(url, timeout=_CONNECT_SECONDS, verify=self._ssl)
        if reply.status_code in (401, 403):
            raise StoreUnreachable(self._name, f"refuses the login (HTTP {reply.status_code})")
        if reply.status_code != 200 or b"heartbeat" not in reply.content:
            raise StoreUnreachable(self._name, f"answers, but not as a Chroma server (HTTP {reply.status_code})")

    def _disconnect(self) -> None:
        self._collection = None
        client, self._client = self._client, None
        sessions, self._sessions = self._sessions, []
        if client is not None:
            client.close()
        for session in sessions:
            session.close()  # Chroma's client leaves its connections open

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """The errors of Chroma and of the network as ours; afterwards the collection is looked up anew."""
        import httpx
        from chromadb.errors import ChromaError

        try:
            yield
        except httpx.TimeoutException as error:
            self._collection = None
            raise StoreUnreachable(self._name, "the Chroma server does not answer in time") from error
        except httpx.HTTPError as error:
            self._collection = None
            raise StoreUnreachable(self._name, f"no Chroma server can be reached ({_reason(error)})") from error
        except ChromaError as error:
            self._collection = None
            raise StoreUnreachable(self._name, f"the Chroma server failed ({short(error)})") from error


def _sessions_of(client: object) -> list[httpx.Client]:
    """The connections of a Chroma client: its own, and those of the second client that it makes for itself."""
    import httpx

    parts = (client, getattr(client, "_admin_client", None))
    sessions = (getattr(getattr(part, "_server", None), "_session", None) for part in parts)
    return [session for session in sessions if isinstance(session, httpx.Client)]


def _address(url: str) -> tuple[str, int, bool]:
    """Host, port and whether TLS is used."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InputError("--chroma-url must be http://HOST:PORT or https://HOST:PORT, such as http://127.0.0.1:8000")
    if parts.username is not None:
        raise InputError("--chroma-url must hold no password; Chroma reads CHROMA_CLIENT_AUTH_CREDENTIALS instead")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return host, port or (443 if parts.scheme == "https" else 8000), parts.scheme == "https"


def _reason(error: httpx.HTTPError) -> str:
    return short(error).rstrip(".") if str(error) else type(error).__name__
