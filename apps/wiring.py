"""The composition root: turns settings into the parts of the system and joins them.

Every other package takes its collaborators as arguments; only this module decides which they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ..agents import (
    AgentContext,
    Extraction,
    ModelAbstention,
    ModelAcquisition,
    ModelResponder,
    PackResponder,
    PathPlanner,
    PlanAcquisition,
    Responder,
    Reward,
    RuleAbstention,
)
from ..agents.crisis import ModelCrisisScreen, PackCrisisScreen
from ..agents.extraction import ModelExtraction, RuleExtraction
from ..agents.planning import planner_named
from ..domains import DomainPack, Scenario, get_pack
from ..evals.assistants import Assistants
from ..evals.judging import BestSubset, HeuristicJudge, Judge, JudgedAnswerReward, LlmJudge
from ..graphs import RaiseComponents, RaiseSettings
from ..models import ChatModel, EmptyCompletion, Limits, Message, Prompt, Sampling, Usage, parse_spec, run_sync
from ..models.endpoint import ForbiddenChatModel, connect
from ..simulators.dialogue import LlmFidelityCheck, SimulatedUser
from ..simulators.users import COOPERATIVE_BEHAVIOUR, Behaviour, LlmUser, Persona, ScriptedUser
from ..vectorstore import PathStore
from .raise_assistant import RaiseAssistant
from .settings import OFFLINE, Settings

if TYPE_CHECKING:
    from ..vectorstore import ChromaPathStore, ChromaServerPathStore

__all__ = ["ROLES", "Wiring"]

ROLES = ("agent", "user", "judge", "planner")
"""What a model is used for. Each role may have a model of its own."""

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
        self._connected: dict[str, ChatModel] = {}

    # ---- models ---------------------------------------------------------------------------------------------------

    @cached_property
    def pack(self) -> DomainPack:
        """The domain pack."""
        return get_pack(self.settings.pack)

    def spec(self, role: str) -> str:
        """The model of ``role`` ("agent", "user", "judge" or "planner"): ``"offline"`` or ``"openai:NAME"``."""
        own = {
            "user": self.settings.user_model,
            "judge": self.settings.judge_model,
            "planner": self.settings.planner_model,
        }.get(role)
        return own or self.settings.model

    def model(self, role: str) -> ChatModel | None:
        """The chat model of ``role``, None for the offline backend. Roles with the same name share one connection."""
        spec = self.spec(role)
        if spec == OFFLINE:
            return None
        if spec not in self._connected:
            self._connected[spec] = self._connect(spec, retries=self.settings.retries)
        return self._connected[spec]

    def _connect(self, spec: str, *, retries: int) -> ChatModel:
        settings = self.settings
        if self._calls_nothing:
            return ForbiddenChatModel(f"openai:{parse_spec(spec)}")
        return connect(
            spec,
            base_url=settings.base_url,
            api_key=settings.api_key,
            limits=Limits(timeout=settings.timeout, retries=retries, concurrency=settings.concurrency),
            sampling=self.sampling,
        )

    def check_models(self) -> None:
        """Try every model with one short message, before anything is written.

        Raises:
            ModelError: a model is not reachable, refuses the key, or does not exist.
        """
        for role in ROLES:
            self.model(role)  # a wrong name or a missing key shows here, before any network
        run_sync(self._probe_all())

    async def probe(self, spec: str) -> Usage | None:
        """One short message to the model ``spec``; what it cost, None if the reply was empty.

        Raises:
            ModelError: as for ``check_models``.
        """
        try:
            reply = await self._connect(spec, retries=1).complete(_PING, sampling=Sampling(max_tokens=16))
        except EmptyCompletion:
            return None  # a reasoning model may spend so few tokens on nothing visible: it is reachable
        return reply.usage

    async def _probe_all(self) -> None:
        for spec in self._connected:
            await self.probe(spec)

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

    def open_store(
        self, folder: Path | None = None, *, writing: bool = False
    ) -> ChromaPathStore | ChromaServerPathStore:
        """The store of planned paths in ``folder``, or the configured one: on a server or in a folder.

        Args:
            writing: claim it at once, so that a second writer is refused before it spends anything.

        Raises:
            StoreError: it cannot be used.
        """
        from ..vectorstore import ChromaPathStore, ChromaServerPathStore, embedder

        model, url = embedder(self.settings.embedding), self.settings.chroma_url
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
        return PackResponder(self.pack) if model is None else ModelResponder(model, self.pack)

    @cached_property
    def _responder(self) -> Responder:
        """One for all answers without a conversation: it keeps no state, and reading its prompt takes a while."""
        return self.responder()

    def extraction(self) -> Extraction:
        """Reads what a person's message tells."""
        model = self.model("agent")
        return RuleExtraction(self.pack) if model is None else ModelExtraction(model, self.pack)

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
            abstention=ModelAbstention(
                model, pack, variant=settings.abstention, threshold=settings.threshold, fallback=rules
            ),
            acquisition=ModelAcquisition(model, pack),
            extraction=self.extraction(),
            responder=self.responder(),
            crisis=ModelCrisisScreen(model, pack),
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
        """How every model is drawn from, unless a part brings its own."""
        settings = self.settings
        return Sampling(temperature=settings.temperature, top_p=settings.top_p, max_tokens=settings.max_tokens)

    @property
    def judge_sampling(self) -> Sampling:
        """As near to deterministic as endpoints allow: a judgement should not depend on the draw."""
        return Sampling(temperature=0.0, top_p=None, max_tokens=self.settings.max_tokens)

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
            return ScriptedUser(persona, self.pack, seed=seed, reactions=turns)
        return LlmUser(persona, model, self.pack, seed=seed, reactions=turns)

    def user_check(self) -> LlmFidelityCheck | None:
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
