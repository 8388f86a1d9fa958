"""Random samples of scenarios."""

from __future__ import annotations

from collections import Counter

import pytest
from askfirst.domains import DomainPack, UnknownNameError
from askfirst.simulators import packaged_scenarios
from askfirst.simulators.datasets.sample import checked_group, choose_scenarios


def test_as_many_of_each_domain_in_their_order(pack: DomainPack) -> None:
    every = packaged_scenarios(pack)
    found = choose_scenarios(iter(every), 4, seed=2, by="domain")
    assert Counter(s.domain for s in found) == dict.fromkeys(pack.domain_names, 4)
    places = [every.index(s) for s in found]
    assert places == sorted(places)


def test_the_seed_decides_and_other_groups_do_not_matter(pack: DomainPack) -> None:
    every = packaged_scenarios(pack)
    found = choose_scenarios(every, 4, seed=2, by="domain")
    assert choose_scenarios(every, 4, seed=2, by="domain") == found
    assert choose_scenarios(every, 4, seed=3, by="domain") != found
    health = [s for s in every if s.domain == "Health"]
    assert choose_scenarios(health, 4, seed=2, by="domain") == [s for s in found if s.domain == "Health"]


def test_a_group_with_fewer_gives_all(pack: DomainPack) -> None:
    every = packaged_scenarios(pack)
    assert choose_scenarios(every, 1000, seed=0) == every
    assert choose_scenarios(every[:3], 5, seed=0, by="risk") == every[:3]


def test_every_scenario_has_the_same_chance(pack: DomainPack) -> None:
    every = packaged_scenarios(pack)[:10]
    drawn = Counter(s.id for seed in range(2000) for s in choose_scenarios(every, 3, seed=seed))
    # 600 expected, standard deviation about 20.
    assert all(500 < drawn[s.id] < 700 for s in every)


def test_names_of_groups() -> None:
    assert checked_group("risk") == "risk"
    with pytest.raises(UnknownNameError, match="did you mean 'domain'"):
        checked_group("domian")
