from __future__ import annotations

import pytest
from askfirst.domains import InputError, country_code, get_pack, known_country


@pytest.mark.parametrize(("given", "code"), [("GB", "GB"), (" gb ", "GB"), ("UK", "GB"), ("in", "IN"), ("BV", "BV")])
def test_codes_of_the_list(given: str, code: str) -> None:
    assert country_code(given) == known_country(given) == code


@pytest.mark.parametrize("given", ["XX", "", "EU", "GBR", "ZZ", "G B", "İE"])
def test_anything_else_is_no_country(given: str) -> None:
    assert known_country(given) is None
    with pytest.raises(InputError, match="not a country code of ISO 3166-1"):
        country_code(given)


def test_a_name_leads_to_its_code() -> None:
    with pytest.raises(InputError, match="did you mean 'PT'"):
        country_code("Portugal")


def test_every_country_of_the_pack_is_one() -> None:
    resources = get_pack("penguin").resources
    for code in {*(s.country for s in resources.services), *resources.emergency_numbers} - {"*"}:
        assert known_country(code) == code
