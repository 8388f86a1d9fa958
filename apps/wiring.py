"""The composition root: turns settings into the parts of the system and joins them.

Every other package takes its collaborators as arguments; only this module decides which they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from ..agents import (
    AgentContext,
    Extraction,
    LlmAbstention,
    LlmAcquisition,
    LlmResponder,
    PackResponder,
    PathPlanner,
    PlanAcquisition,
    Responder,
    Reward,
    RuleAbstention,
)
from ..agents.crisis import LlmCrisisScreen, PackCrisisScreen
from ..agents.extraction import LlmExtraction, RuleExtraction
from ..agents.planning import planner_named
from ..domains import AskfirstError, DomainPack, Scenario, get_pack
from ..evals.assistants import Assistants
from ..evals.judging import BestSubset, HeuristicJudge, Judge, JudgedAnswerReward, LlmJudge
from ..graphs import RaiseComponents, RaiseSettings
from ..models import ChatModel, EmptyCompletion, Limits, Message, Prompt, Sampling, Usage, parse_spec, run_sync
from ..models.endpoint import ForbiddenChatModel, connect, given_model, own_sampling
from ..simulators.dialogue import LlmFidelityCheck, SimulatedUser
from ..simulators.users import COOPERATIVE_BEHAVIOUR, Behaviour, LlmUser, Persona, ScriptedUser
from ..vectorstore import Embedder, PathStore
from .raise_assistant import RaiseAssistant
from .settings import OFFLINE, ROLES, Connection, Settings

if TYPE_CHECKING:
    from ..vectorstore import ChromaPathStore, ChromaServerPathStore

__all__ = ["Wiring"]

_NOT_IN_CONVERSATIONS = ("extract_", "scenario_")  # prompts that make data
_PING = (Message(role="user", content="Reply with the word: ok"),)


class Wiring:
    """The parts that one run of the program uses, made on first use and shared.

    Args:
        settings: which models, pack and store.
        calls_nothing: no model may be called (a dry run), so none is connected to and no key is needed.
    """

    def __init__(self, settings: Settings, *, calls_nothing: bool = False) -> None:
        self.settings = settings
        self._calls_nothing = calls_nothing
        self._connected: list[tuple[Connection, ChatModel]] = []

    # ---- models ---------------------------------------------------------------------------------------------------

    @cached_property
    def pack(self) -> DomainPack:
        """The domain pack."""
        return get_pack(self.settings.pack)

    def spec(self, role: str) -> str:
        """The name of ``role``'s model: ``"offline"``, ``"openai:NAME"``, or what a chat model object calls itself."""
        return self.settings.connection(role).name

    def model(self, role: str) -> ChatModel | None:
        """The chat model of ``role``, None for the offline backend. Roles with the same one share one connection."""
        wanted = self.settings.connection(role)
        if wanted.model == OFFLINE:
            return None
        for connection, model in self._connected:
            if connection.same(wanted):
                return model
        model = self._connect(wanted, retries=self.settings.retries)
        self._connected.append((wanted, model))
        return model

    def _connect(self, connection: Connection, *, retries: int) -> ChatModel:
        settings = self.settings
        if self._calls_nothing:
            if isinstance(connection.model, str):
                parse_spec(connection.model)
            return ForbiddenChatModel(connection.name)
        limits = Limits(timeout=settings.timeout, retries=retries, concurrency=settings.concurrency)
        if not isinstance(connection.model, str):
            if "retries" not in settings.model_fields_set:  # an object that retries by itself is left to do so
                limits = Limits(timeout=settings.timeout, concurrency=settings.concurrency)
            return given_model(connection.model, limits=limits)
        return connect(
            connection.model,
            base_url=connection.base_url,
            api_key=connection.api_key,
            limits=limits,
            sampling=self.sampling,
        )

    def served(self) -> list[tuple[str, ...]]:
        """The roles that use a model, those that share a connection together."""
        groups: list[tuple[Connection, list[str]]] = []
        for role in ROLES:
            wanted = self.settings.connection(role)
            if wanted.model == OFFLINE:
                continue
            shared = next((roles for connection, roles in groups if connection.same(wanted)), None)
            if shared is None:
                groups.append((wanted, [role]))
            else:
                shared.append(role)
        return [tuple(roles) for _, roles in groups]

    def check_models(self) -> None:
        """Try every model with one short message, before anything is written.

        Raises:
            ModelError: a model is not reachable, refuses the key, or does not exist.
        """
        for role in ROLES:
            self.model(role)  # a wrong name or a missing key shows here, before any network
        run_sync(self._probe_all())

    async def probe(self, role: str) -> Usage | None:
        """One short message to the model of ``role``; what it cost, None if the reply was empty.

        Raises:
            ModelError: as for ``check_models``.
        """
        try:
            connection = self.settings.connection(role)
            short = Sampling(max_tokens=16) if isinstance(connection.model, str) else None  # an object knows its own
            reply = await self._connect(connection, retries=1).complete(_PING, sampling=short)
        except EmptyCompletion:
            return None  # a reasoning model may spend so few tokens on nothing visible: it is reachable
        return reply.usage

    async def _probe_all(self) -> None:
        for roles in self.served():
            await self.probe(roles[0])

    def prompt_hashes(self) -> dict[str, str]:
        """``package/name`` -> hash of each prompt of conversations and judgements; empty offline, with none."""
        if self.offline:
            return {}
        hashes = {}
        for package in ("agents", "simulators", "evals"):
            folder = files(f"askfirst.{package}") / "prompts"
            for name in sorted(entry.name.removesuffix(".md") for entry in folder.iterdir()):
                if not name.startswith(_NOT_IN_CONVERSATIONS):
                    hashes[f"{package}/{name}"] = Prompt.load(package=f"askfirst.{package}", name=name).hash
        return hashes

    @property
    def offline(self) -> bool:
        """Whether no role uses a language model."""
        return all(self.spec(role) == OFFLINE for role in ROLES)

    @contextmanager
    def existing_store(self) -> Iterator[PathStore | None]:
        """The configured store while inside, None if there is none yet. Raises ``StoreError`` if it cannot be used."""
        if not self.settings.chroma_url and not self.settings.store.exists():
            yield None
            return
        with closing(self.open_store()) as store:
            yield store if len(store) else None

    # ---- the online agent -------------------------------------------------------------------------------------------

    @property
    def store_name(self) -> str:
        """The configured store, for people: a folder or a URL."""
        return self.settings.chroma_url or str(self.settings.store)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the store. Loaded when it first embeds, which takes seconds."""
        from ..vectorstore import embedder

        return embedder(self.settings.embedding)

    def load_embedder(self) -> None:
        """Begin to load the embedding model in the background, while a person reads or types."""

        def load() -> None:
            with suppress(AskfirstError):  # the first search tells
                self.embedder.embed(["hello"])

        Thread(target=load, name="askfirst-load-embedder", daemon=True).start()

    def open_store(
        self, folder: Path | None = None, *, writing: bool = False
    ) -> ChromaPathStore | ChromaServerPathStore:
        """The store of planned paths in ``folder``, or the configured one: on a server or in a folder.

        Args:
            writing: claim it at once, so that a second writer is refused before it spends anything.

        Raises:
            StoreError: it cannot be used.
        """
        from ..vectorstore import ChromaPathStore, ChromaServerPathStore

        model, url = self.embedder, self.settings.chroma_url
        store: ChromaPathStore | ChromaServerPathStore
        if url and folder is None:
            store = ChromaServerPathStore(url, model)
        else:
            store = ChromaPathStore(folder or self.settings.store, model)
        if writing:
            try:
                store.claim()
            except BaseException:
                store.close()
                raise
        return store

    def responder(self) -> Responder:
        """Writes answers: a model, or the pack's texts offline."""
        model = self.model("agent")
        return PackResponder(self.pack) if model is None else LlmResponder(model, self.pack)

    @cached_property
    def _responder(self) -> Responder:
        """One for all answers without a conversation: it keeps no state, and reading its prompt takes a while."""
        return self.responder()

    def extraction(self) -> Extraction:
        """Reads what a person's message tells."""
        model = self.model("agent")
        return RuleExtraction(self.pack) if model is None else LlmExtraction(model, self.pack)

    def components(self, store: PathStore | None) -> RaiseComponents:
        """The parts of the state machine."""
        model, pack, settings = self.model("agent"), self.pack, self.settings
        rules = RuleAbstention(pack, threshold=settings.threshold)
        if model is None:
            return RaiseComponents(
                pack=pack,
                store=store,
                abstention=rules,
                acquisition=PlanAcquisition(pack),
                extraction=self.extraction(),
                responder=self.responder(),
                crisis=PackCrisisScreen(pack),
            )
        return RaiseComponents(
            pack=pack,
            store=store,
            abstention=LlmAbstention(
                model, pack, variant=settings.abstention, threshold=settings.threshold, fallback=rules
            ),
            acquisition=LlmAcquisition(model, pack),
            extraction=self.extraction(),
            responder=self.responder(),
            crisis=LlmCrisisScreen(model, pack),
        )

    def raise_settings(self, *, use_planner: bool = True) -> RaiseSettings:
        """Settings of the state machine."""
        return RaiseSettings(
            budget=self.settings.budget,
            retrieve_k=self.settings.retrieve_k,
            country=self.settings.country,
            use_planner=use_planner,
        )

    # ---- planning ---------------------------------------------------------------------------------------------------

    def reward(self) -> Reward:
        """What the planner maximises: answer with the set revealed, then judge (C.1)."""
        return JudgedAnswerReward(self._answer_scenario, self.judge())

    def planner(self, name: str = "mcts", *, concurrency: int = 1) -> PathPlanner:
        """The planner of this name, with so many evaluations under way at a time for one scenario."""
        return planner_named(name, self.pack, concurrency=concurrency)

    # ---- evaluation -------------------------------------------------------------------------------------------------

    @property
    def sampling(self) -> Sampling:
        """How models given by name are drawn from, unless a part brings its own."""
        settings = self.settings
        return Sampling(temperature=settings.temperature, top_p=settings.top_p, max_tokens=settings.reply_tokens)

    def sampling_of(self, role: str) -> Sampling:
        """How the model of ``role`` is drawn from: as the settings say, or a chat model object as it says itself."""
        model = self.settings.connection(role).model
        return self.sampling if isinstance(model, str) else own_sampling(model)

    @property
    def judge_sampling(self) -> Sampling:
        """As near to deterministic as endpoints allow: a judgement should not depend on the draw."""
        return Sampling(temperature=0.0, top_p=None, max_tokens=self.settings.reply_tokens)

    def judge(self, *, crisis_texts: Collection[str] = ()) -> Judge:
        """Scores answers with the full profile in view.

        Args:
            crisis_texts: what simulated people say to disclose imminent risk, should the crisis rules not read it.
        """
        model = self.model("judge")
        if model is None:
            screen = PackCrisisScreen(self.pack)
            return HeuristicJudge(
                self.pack, discloses_risk=lambda text: text in crisis_texts or screen.rules(text) is not None
            )
        return LlmJudge(model, self.pack, sampling=self.judge_sampling)

    def simulated_user(
        self, scenario: Scenario, *, seed: int, behaviour: Behaviour = COOPERATIVE_BEHAVIOUR, turns: int = 0
    ) -> SimulatedUser:
        """The person of ``scenario``, who reacts ``turns`` times to an answer."""
        model, persona = self.model("user"), Persona.behaving(scenario, behaviour, self.pack, seed=seed)
        if model is None:
            return ScriptedUser(persona, self.pack, seed=seed, turns=turns)
        return LlmUser(persona, model, self.pack, seed=seed, turns=turns)

    def fidelity_check(self) -> LlmFidelityCheck | None:
        """The judge's model as a second opinion on simulated persons; None offline."""
        model = self.model("judge")
        return None if model is None else LlmFidelityCheck(model, self.pack)

    def assistants(self, store: PathStore | None, reward: Reward | None = None) -> Assistants:
        """The assistant of every condition. ``reward``: what the oracle tries sets with; None: a fresh one."""
        return Assistants(
            self.pack,
            model=self.spec("agent"),
            answerer=self._answer,
            extract=self._extract,
            factories={
                "agent": lambda: self._raise_assistant(None, use_planner=False),
                "raise": lambda: self._raise_assistant(store, use_planner=True),
            },
            oracle=BestSubset(reward or self.reward(), self.pack),
        )

    def _raise_assistant(self, store: PathStore | None, *, use_planner: bool) -> RaiseAssistant:
        return RaiseAssistant(self.spec("agent"), self.components(store), self.raise_settings(use_planner=use_planner))

    async def _answer(
        self,
        query: str,
        known: Mapping[str, str],
        *,
        country: str | None,
        seed: int,
        follow_ups: Sequence[tuple[str, str]] = (),
    ) -> str:
        del seed  # repeats differ by sampling; the endpoint's own seed is not asked for
        context = AgentContext(query=query, known=dict(known), country=country, follow_ups=tuple(follow_ups))
        return await self._responder.answer(context)

    async def _answer_scenario(self, scenario: Scenario, known: Mapping[str, str]) -> str:
        return await self._answer(scenario.query, known, country=scenario.country, seed=0)

    async def _extract(self, query: str, message: str, *, asked: str | None) -> Mapping[str, str]:
        context = AgentContext(query=query, asked=() if asked is None else (asked,))
        return (await self.extraction().extract(message, asked=asked, context=context)).values
