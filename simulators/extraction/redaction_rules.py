"""The patterns of the redaction rules: shapes of numbers and addresses, and what stands around names and places.

Every repetition is bounded, so that no text, however strange, takes more than about linear time.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from ...domains import read_yaml_file, tidy

__all__ = [
    "CONTEXTS",
    "INSIDE_SENTENCE",
    "PHONE",
    "SHAPES",
    "SURNAME",
    "IdentifyingKind",
    "WordLists",
    "is_ordinary",
    "word_lists",
]

IdentifyingKind = Literal["contact", "link", "handle", "address", "id", "date", "name", "place", "employer", "other"]
Rules = tuple[tuple[IdentifyingKind, re.Pattern[str]], ...]

_UPPER = "".join(chr(c) for c in (*range(0x41, 0x250), *range(0x370, 0x530)) if chr(c).isupper())
_CAP = rf"[{_UPPER}](?:[\w']{{0,40}}\w)?(?:-\w{{1,40}}){{0,3}}"
_NAME = rf"{_CAP}(?: {_CAP}){{0,2}}"
_ORG = rf"(?:the )?{_CAP}(?: (?:(?:of|and|the|de|du|des|la|für|&) ){{0,2}}{_CAP}){{0,6}}"
_START = r"(?:\A|(?<=[.!?\n] )|(?<=\n))"

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_STREET = (
    r"street|st|road|rd|avenue|ave|lane|ln|drive|dr|close|court|ct|way|boulevard|blvd|square|sq|terrace|place|pl"
    r"|crescent|parkway|highway|hwy|row|mews|grove|gardens|hill|walk"
)
_STREET_ENDS = r"straat|gracht|stra(?:ß|ss)e|str\.|weg|gasse|allee|platz|laan|plein|gatan|vägen|gade|vej"
_STREET_BEGINS = r"Calle|Avenida|Via|Viale|Piazza|Rua|Carrer|ul\.|ulica"
_NUMBERED = (
    r"id|passport|visa|case|file|policy|patient|student|employee|account|member(?:ship)?|reference|ref|licen[cs]e|plate"
    r"|ticket|order|claim|docket|insurance|ssn|nhs|serial|badge|booking|customer"
)
_ACCOUNT = r"discord|insta(?:gram)?|ig|snap(?:chat)?|telegram|tiktok|twitter|kik|skype|facebook|fb|username|handle"
_DOMAIN = (
    r"com|org|net|io|me|co\.uk|de|fr|nl|es|it|pl|ru|ca|info|app|dev|art|blog|site|online|shop|page|xyz|tv|eu|ch|uk"
)
_DOT = r"(?:\[\.\]|\(\.\)|\{\.\}| ?[\[(]dot[\])] ?)"  # how addresses are written so that machines do not see them
_DIGITS = r"(?=(?:[ .()/-]{0,3}\d){7})\+?[\d(][\d .()/-]{5,24}\d"

_RELATIVE = (
    r"husband|wife|partner|boyfriend|girlfriend|fianc[ée]e?|spouse|ex|ex-husband|ex-wife|mother|father|mom|mum|dad|son"
    r"|daughter|sister|brother|cousin|aunt|auntie|uncle|niece|nephew|grandmother|grandfather|grandma|grandpa|granny"
    r"|friend|best friend|roommate|flatmate|neighbou?r|boss|manager|supervisor|colleague|coworker|co-worker|landlord"
    r"|landlady|teacher|tutor|professor|therapist|doctor|counsell?or|lawyer|nurse|coach|stepdad|stepmom|stepmother"
    r"|stepfather|baby|dog|cat|kid|child|twin|crush|head teacher|in-law"
)
_TITLE = (
    r"mr|mrs|ms|miss|mx|dr|prof|professor|doctor|herr|frau|mme|mlle|monsieur|madame|señora?|captain|sergeant|officer"
    r"|judge|rabbi|imam|pastor|father|sister|brother|aunt|auntie|uncle|grandpa|grandma|granny|nurse|coach|sir|lady"
)
_SAYS = r"says|said|tells|told|thinks|wants|wanted|asked|asks|keeps|kept|left|died|hates|loves|knows|and (?:i|me)"
_INTRODUCES = (
    r"ich heiße|ich heisse|mein name ist|me llamo|mi nombre es|je m'appelle|mi chiamo|nazywam się|mam na imię"
    r"|меня зовут|jag heter|ik heet|meu nome é|me chamo|adım|mein mann|meine frau"
    r"|mi (?:marido|mujer|jefe|hermano|hermana)|mon (?:mari|fils|frère|patron)|ma (?:femme|fille|sœur)"
)
_DWELLS = (
    r"(?:wohne|lebe|arbeite) (?:in|bei)(?: der| dem)?|(?:vivo|trabajo) en|j'habite (?:à|en)|abito a|vivo a"
    r"|mieszkam w|я живу в|живу в|bor i|woon in|moro em"
)
_WORKS = (
    r"work(?:s|ed|ing)?|jobs?|employed|teach(?:es)?|taught|teaching|stud(?:y|ies|ied|ying)|nurse|fired|hired|quit"
    r"|resigned|dismissed|laid off|interned|internship|career|bookkeeper|driver|consultant|shifts?|paramedic|engineer"
    r"|position|role|student|degree|contract|offer"
)
_KINDS_OF_SCHOOL = r"primary|secondary|high|grammar|elementary|middle|nursery|infant|junior|boarding"
_SCHOOLS = rf"{_KINDS_OF_SCHOOL}|catholic|school|church|college|academy|hospital|hospice|clinic|parish"
_PARTICLE = r"[dlo]'|(?:de|du|van|von|di|da|la|le|al|el|bin|ibn|ter|ten|zu)(?: (?:de|den|der|la|las|los))? "
_TOWARDS = r"in|from|near|outside|around|to|at|of|via|towards?|between"

SHAPES: Rules = (
    ("contact", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")),
    (
        "contact",
        re.compile(
            rf"\b[\w.+-]{{1,64}}(?: ?[\[({{]at[\])}}] ?|@)[\w-]{{1,63}}(?:(?:{_DOT}|\.)\w{{2,12}}){{1,3}}"
            rf"|\b[\w.+-]{{1,64}} at [\w-]{{1,63}} dot (?:{_DOMAIN})\b(?: dot \w{{2,3}}\b)?",
            re.IGNORECASE,
        ),
    ),
    (
        "link",
        re.compile(r"\b(?:h(?:tt|xx)ps?(?::|\[:\])//|www\.)[^\s<>\"')]+[^\s<>\"')\].,;:!?]", re.IGNORECASE),
    ),
    (
        "link",
        re.compile(
            rf"\b[\w-]{{1,63}}(?:{_DOT}[\w-]{{2,63}}){{1,4}}(?:/[^\s,;!?)]{{0,200}}[^\s.,;:!?)])?", re.IGNORECASE
        ),
    ),
    ("link", re.compile(rf"\b[\w-]{{1,63}}\.(?:{_DOMAIN})\b(?:/[^\s.,;:!?)]{{1,200}})?", re.IGNORECASE)),
    ("handle", re.compile(r"(?<![\w/.])/?[ur]/[\w-]{2,40}")),
    ("handle", re.compile(r"(?<![\w@.])@\w[\w.]{0,28}\w")),
    ("handle", re.compile(r"\b[\w.]{2,32}#\d{4}\b")),
    (
        "handle",
        re.compile(
            rf"\b(?:{_ACCOUNT})(?: (?:name|handle|user(?:name)?)){{0,2}}(?: is |\s*[:=]\s*)(?P<x>[\w.-]{{3,30}}\w)",
            re.IGNORECASE,
        ),
    ),
    # Without "is" or ":" only what looks like a handle: letters with a digit, a dot or an underscore inside.
    (
        "handle",
        re.compile(
            rf"\b(?:{_ACCOUNT}) (?P<x>(?=[\w.]{{0,30}}[a-z])(?=\w{{0,30}}[\d_]|\w{{1,30}}\.\w)\w[\w.]{{3,30}}\w)",
            re.IGNORECASE,
        ),
    ),
    ("date", re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b|(?<![\d.])\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b(?!\.\d)")),
    ("date", re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?,? \d{{4}}\b", re.IGNORECASE)),
    ("date", re.compile(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b", re.IGNORECASE)),
    (
        "address",
        re.compile(
            rf"\b\d{{1,5}}[A-Za-z]?,? (?:{_CAP} ){{1,4}}(?i:{_STREET})\b\.?"
            r"(?:,? (?i:apt|apartment|unit|flat|suite|no)\.? ?#?\w{1,5})?"
        ),
    ),
    ("address", re.compile(r"\b(?:apt|apartment|unit|flat|suite|house number)\.? #?\d{1,5}[a-z]?\b", re.IGNORECASE)),
    (
        "address",
        re.compile(
            r"\b\d{1,4}(?: ?bis)?,? (?i:rue|avenue|boulevard|place|chemin|impasse|quai) "
            rf"(?:(?:de|du|des|la|le|les|l')[ ']?){{0,3}}{_CAP}(?: {_CAP}){{0,4}}"
        ),
    ),
    ("address", re.compile(rf"\b[{_UPPER}]\w{{0,40}}(?:{_STREET_ENDS}),? \d{{1,4}}\w?\b")),
    (
        "address",
        re.compile(rf"\b(?:{_STREET_BEGINS}) (?:(?:de|del|della|da|la) ){{0,2}}{_CAP},? \d{{1,4}}\w?\b"),
    ),
    ("address", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2},? \d{5}(?:-\d{4})?\b")),
    ("address", re.compile(r"\bzip(?: code)? \d{5}\b", re.IGNORECASE)),
    ("address", re.compile(r"(?<![\d.])-?\d{1,3}\.\d{4,9}°? ?[NS]?[ ,;/]{1,3}-?\d{1,3}\.\d{4,9}(?:°? ?[EW]\b)?")),
    ("id", re.compile(r"\b[A-Z]{2}\d{2} ?[A-Z]{3}\b|\b[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}\b")),  # number plates
    ("id", re.compile(r"\b\d{3}-\d{2}-\d{4}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b")),
    ("id", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")),
    ("id", re.compile(r"\b\d(?:[ -]?\d){12,18}\b")),
    (
        "id",
        re.compile(
            rf"\b(?:{_NUMBERED})(?: (?:no|nr|number|num|id|card)){{0,2}}\.?(?: (?:is|was))?[:#]? *"
            r"(?P<x>#?(?=(?:[a-z/-]{0,9}\d){3})[a-z0-9/-]{3,40}\b(?:[ -]\d{2,6}\b){0,5})",
            re.IGNORECASE,
        ),
    ),
    (
        "contact",
        re.compile(
            r"\b(?:tel|telephone|phone|mobile|cell|call|text|ring|whatsapp|fax)(?: me)?(?: (?:on|at|no|number))?"
            rf"(?: is)?[.:]{{0,2}} ?(?P<x>{_DIGITS})",
            re.IGNORECASE,
        ),
    ),
    (
        "employer",
        re.compile(rf"\bSt\.? {_CAP}(?!\w|(?:'s)? (?i:wort|day|eve)\b)(?: (?i:{_SCHOOLS})\b){{0,3}}"),
    ),
    ("id", re.compile(r"\b(?=(?:[A-Z-]{0,9}\d){3})(?=[0-9-]{0,20}[A-Z])[A-Z0-9][A-Z0-9-]{2,40}\b")),
)
"""Details that their form gives away; group "x" is the detail, where there is one, else all of it."""

PHONE = re.compile(
    r"(?<![\w$€£.,/-])\+?\(?\d[\d\s()./-]{5,24}\d(?![\w%]| ?(?:euros?|dollars?|pounds?|usd|eur|gbp|kg|km)\b)",
    re.IGNORECASE,
)
"""What may be a telephone number."""

CONTEXTS: Rules = (
    ("employer", re.compile(rf"(?P<x>{_CAP}(?: {_CAP}){{0,2}}(?:'s)?) (?i:{_KINDS_OF_SCHOOL}) school\b")),
    ("employer", re.compile(rf"\b(?i:{_WORKS})(?i:(?: \w{{1,30}}){{0,3}}? (?:at|for|from|by|with)) (?P<x>{_ORG})")),
    (
        "name",
        re.compile(
            r"\b(?i:name(?:'s| is| was)|call(?:ed)? me|named|called|ask for) "
            rf"(?P<x>(?:(?i:{_TITLE})\.? )?{_NAME})"
        ),
    ),
    (
        "name",
        re.compile(rf"(?<!\w)(?:(?:(?i:{_TITLE})\.? ){{1,3}}|M\. )(?:h\. ?c\. )?(?P<x>(?:{_PARTICLE})?{_NAME})"),
    ),
    ("name", re.compile(rf"\b(?i:married|engaged|divorced|separated|related|wed) (?:to|from) (?P<x>{_NAME})")),
    ("name", re.compile(rf"\b(?i:{_RELATIVE}),? (?:(?i:is|was) )?(?P<x>{_NAME})")),
    ("name", re.compile(rf"\b(?i:i'm|i am|this is|it's) (?P<x>{_NAME})")),
    ("name", re.compile(rf"{_START}(?:(?i:hi|hello|hey)[^.\n]{{0,12}}, )?(?P<x>{_CAP}) (?i:here)\b")),
    ("name", re.compile(rf"{_START}(?P<x>{_CAP}) (?i:{_SAYS})\b")),
    (
        "name",
        re.compile(
            r"\b(?i:thanks|thank you|thx|cheers|love|yours|regards|best|sincerely)[^.\n]{0,24}[,\n]\s{0,3}"
            rf"(?P<x>{_NAME})\W{{0,5}}\Z"
        ),
    ),
    ("name", re.compile(rf"[\n ][-–—~] ?(?P<x>{_NAME})\s{{0,5}}\Z")),
    ("name", re.compile(rf"\b(?i:{_INTRODUCES}) (?P<x>{_NAME})")),
    ("place", re.compile(rf"\b(?i:{_DWELLS}) (?P<x>{_CAP}(?: {_CAP}){{0,2}})")),
    (
        "place",
        re.compile(
            rf"\b(?i:{_TOWARDS}) (?P<x>{_CAP}(?: (?:(?:de|del|la|am|an der|upon) )?{_CAP}){{0,4}})",
        ),
    ),
)
"""Details that the words around them give away; one that consists of ordinary words counts for nothing."""

INSIDE_SENTENCE = re.compile(rf"(?<=[\w,;:')\]] ){_CAP}|(?<=[\w,;:] [\"'(]){_CAP}")
"""A capitalised word that does not begin a sentence."""


SURNAME = rf"(?:(?: [A-Z]\.)?(?: {_CAP}){{1,2}})?"
"""What may follow a first name."""


class WordLists(NamedTuple):
    """The lists of ``redaction.yaml``, as patterns."""

    ordinary: frozenset[str]
    common_starts: frozenset[str]
    names: re.Pattern[str]
    names_after_introduction: re.Pattern[str]
    places: re.Pattern[str]
    places_after_preposition: re.Pattern[str]
    employers: re.Pattern[str]
    organisations: re.Pattern[str]


@cache
def word_lists() -> WordLists:
    """The lists, read once."""
    raw = read_yaml_file(Path(__file__).with_name("redaction.yaml"))
    names = "|".join(map(re.escape, raw["given_names"].split()))
    places = "|".join(re.escape(p.strip()) for p in raw["places"].split("|"))
    employers = "|".join(re.escape(e.strip()) for e in raw["employers"].split("|"))
    words = "|".join(raw["organisation_words"].split())
    return WordLists(
        ordinary=frozenset(raw["ordinary"].split()),
        common_starts=frozenset(raw["common_starts"].split()),
        names=re.compile(rf"(?<!\bSt )(?<!\bSt\. )\b(?:{names})(?: {_CAP})?(?!\w)"),
        names_after_introduction=re.compile(
            rf"\b(?i:(?:my|his|her) name(?:'?s| is)|i'?m|i am|{_RELATIVE}) (?P<x>(?i:{names}))\b"
            r"|\b(?i:my name(?:'?s| is)) (?P<y>[^\W\d_]{3,40})\b"
        ),
        places=re.compile(rf"\b(?:{places})\b"),
        places_after_preposition=re.compile(rf"\b(?i:in|from|to|near|outside) (?P<x>(?i:{places}))\b"),
        employers=re.compile(rf"\b(?:{employers})\b"),
        organisations=re.compile(
            rf"\b{_CAP}(?: (?:(?:of|and|the|&|de|für) ){{0,2}}{_CAP}){{0,4}}? (?:(?:and|&) )?(?:{words})\b"
            rf"(?: (?:of )?{_CAP}){{0,3}}"
            r"|\b(?:University|College|Bank|Ministry|Church|Hospital|School|Café|Hotel) (?:of )?(?:the )?"
            rf"{_CAP}(?: {_CAP}){{0,3}}"
            rf"|\b{_CAP} (?:&|und|et) {_CAP}"
        ),
    )


def is_ordinary(word: str) -> bool:
    """Whether a capitalised word identifies nobody: on the list, an acronym, or a common first word of a sentence."""
    plain = tidy(word).strip(".,;:!?\"'()")
    lists = word_lists()
    if plain in lists.ordinary or plain.removesuffix("'s") in lists.ordinary:
        return True
    return plain.lower() in lists.common_starts or (plain.isupper() and len(plain) <= 5)
