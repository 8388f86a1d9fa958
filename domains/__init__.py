"""Attributes, profiles, scenarios and domain packs: pure data, imports nothing else of the project.

Main path: ``get_pack("penguin")`` -> ``DomainPack`` -> ``pack.profile({...})`` -> ``Profile``.
"""

from .attribute import Attribute, Group, is_unspecified
from .countries import CountryCode, country_code, known_country
from .errors import AskfirstError, DataError, InputError, PackError, UnknownNameError
from .folding import QUOTES, is_soft, plain, sentences, tidy
from .pack import Acknowledgement, CrisisResource, Domain, DomainPack, Resources, RiskRule, fold, load_pack
from .pack_check import PackHint, pack_hints, pack_problems
from .patterns import pattern_problem
from .profile import AttributeState, Profile
from .registry import PACK_GROUP, get_pack, pack_file, pack_names, pack_source
from .safe_yaml import YamlProblem, read_yaml_file
from .scenario import Risk, Scenario, Split
from .value import Value

__all__ = [
    "PACK_GROUP",
    "QUOTES",
    "Acknowledgement",
    "AskfirstError",
    "Attribute",
    "AttributeState",
    "CountryCode",
    "CrisisResource",
    "DataError",
    "Domain",
    "DomainPack",
    "Group",
    "InputError",
    "PackError",
    "PackHint",
    "Profile",
    "Resources",
    "Risk",
    "RiskRule",
    "Scenario",
    "Split",
    "UnknownNameError",
    "Value",
    "YamlProblem",
    "country_code",
    "fold",
    "get_pack",
    "is_soft",
    "is_unspecified",
    "known_country",
    "load_pack",
    "pack_file",
    "pack_hints",
    "pack_names",
    "pack_problems",
    "pack_source",
    "pattern_problem",
    "plain",
    "read_yaml_file",
    "sentences",
    "tidy",
]
