from __future__ import annotations

from askfirst.domains import DomainPack
from askfirst.simulators import packaged_scenarios
from askfirst.simulators.datasets.domain_guess import guess_domain


def test_a_guess_never_contradicts_the_cues_of_the_pack(pack: DomainPack) -> None:
    queries = [s.query for s in packaged_scenarios(pack)]
    seen = {q: pack.domain_of(q) for q in queries}
    assert sum(domain is not None for domain in seen.values()) > len(queries) / 2
    assert all(guess_domain("", q, pack) == domain for q, domain in seen.items() if domain is not None)


def test_there_is_always_a_guess(pack: DomainPack, toy_pack: DomainPack) -> None:
    assert pack.domain_of("zzz") is None
    assert guess_domain("", "zzz", pack) == "Life"
    assert guess_domain("", "zzz", toy_pack) in toy_pack.domain_names


def test_it_is_right_for_most_packaged_queries(pack: DomainPack) -> None:
    scenarios = packaged_scenarios(pack)
    right = sum(guess_domain(s.title, s.query, pack) == s.domain for s in scenarios)
    assert right / len(scenarios) >= 0.7
