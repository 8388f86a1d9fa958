"""Sentences for the redaction rules on hidden and unusual details. All invented.

``MADE_WITH_RULES`` was before the eyes of who wrote the rules; ``HELD_OUT`` and ``HARMLESS`` were written afterwards.
At the first run of the new rules 1 of the 30 details of ``HELD_OUT`` stayed (17 with the rules before), and 3 of the
sentences of ``HARMLESS`` were changed (2 before); the rules were then mended for these four.
"""

from __future__ import annotations

Cases = tuple[tuple[str, tuple[str, ...]], ...]

MADE_WITH_RULES: Cases = (
    ("My NHS 943 476 5919 was lost.", ("943", "476 5919")),
    ("Ring me on +49 (0)151 / 555 019 22 after six.", ("151", "555")),
    ("Write to quillfox88 at gmail dot com please.", ("quillfox88",)),
    ("My page is ramonavexley[.]art for now.", ("ramonavexley",)),
    ("See hxxps://ramonavexley.test/page for it.", ("ramonavexley",)),
    ("my insta mothlight.xo has it all", ("mothlight",)),
    ("add my snap mothlight.xo if you like", ("mothlight",)),
    ("I am A\u200bnna B\u200browning from work.", ("nna", "rowning")),
    (
        "\uff4d\uff41\uff49\uff4c: \uff51\uff55\uff49\uff4c\uff4c\uff18\uff20gmail\uff0ecom",
        ("\uff51\uff55\uff49\uff4c\uff4c",),
    ),
    ("I saw Prof. Dr. h.c. Lindqvistsen last week.", ("Lindqvistsen",)),
    ("Then Ms. d'Arvelle called me in.", ("Arvelle",)),
    ("His car is AB12 CDE and blue.", ("AB12", "CDE")),
    ("Just call tel. 555.0192 at night.", ("555.0192",)),
    ("I sit at 51.5012,-0.1419 every day.", ("51.5012", "0.1419")),
    ("My son is at St. Brannoc's primary school now.", ("Brannoc",)),
)
"""A sentence, and what must not survive in it."""

HELD_OUT: Cases = (
    ("The clinic has me under NHS number 999-884-0397, that is all they asked for.", ("999", "884", "0397")),
    ("Case 2291 8840 17 is still open and nobody writes back.", ("2291", "8840")),
    ("My dad's mobile is 0044 (0)7700/900 318 if it goes wrong.", ("7700", "318")),
    ("Reach me: +33 6.39.98.92.33, evenings only.", ("6.39", "92.33")),
    ("send it to brackenfold_41 at proton dot me and I will look", ("brackenfold",)),
    ("mail: yarrowtide (at) gmx [dot] de", ("yarrowtide",)),
    ("I post on hollowmere(.)blog about all of it.", ("hollowmere",)),
    ("the photos are at hxxp://pictures[.]hollowmere[.]net/wedding", ("hollowmere", "wedding")),
    ("his telegram osprey_lad77 is full of it", ("osprey_lad77",)),
    ("dm me, ig: nettle.and.rue, I never answer though", ("nettle",)),
    ("My boss is M\u200bart\u200bhe Sk\u200bjelbred and she hates me.", ("jelbred",)),
    (
        "\uff2d\uff59 \uff4e\uff41\uff4d\uff45 \uff49\uff53 \uff2f\uff54\uff54\uff49\uff4c\uff49\uff45 and I am tired.",
        ("\uff2f\uff54\uff54\uff49\uff4c\uff49\uff45",),
    ),
    ("Frau Dr. Wennerholm-Aas signed the papers.", ("Wennerholm",)),
    ("They sent me to Mr. van der Quellen for a second opinion.", ("Quellen",)),
    ("A silver van, KX21 ZRV, waits outside every night.", ("KX21", "ZRV")),
    ("The plate was M-RT 4471 and he drove off.", ("4471",)),
    ("phone no. 0161 496 0752 is on the note", ("0161", "0752")),
    ("The hut stands at 46.62041, 8.04173 and nobody goes there.", ("46.62041", "8.04173")),
    ("She teaches at Wrenbury grammar school and I never told her.", ("Wrenbury",)),
    ("I got engaged to Priyanka Vesterholt in spring, then lost my job.", ("Priyanka", "Vesterholt")),
)

HARMLESS = (
    "We meet at ten, or at the latest at half past.",
    "I was at home at 7.30 and it was 12.5 degrees.",
    "Is St. John's wort safe with coffee?",
    "We always go out on St. Patrick's Day.",
    "I have saved 12 500 euros over 3 years.",
    "It costs 1,250.50 a month and I earn 2,300.75.",
    "My mum called 3 times between 2019 and 2021.",
    "Text me back is what I say 20 times a day.",
    "I went to the primary school in my village and then to high school.",
    "My high school friends all moved on.",
    "Most of my day goes to instagram and tiktok videos.",
    "I deleted twitter in 2022 and snap last week.",
    "Look at the dot on the map, that is us.",
    "I slept 4.5 hours, then 6.25, then 3.75.",
    "The exam is on page 12/13 of the book.",
    "I take 20 mg in the morning and 10 mg at night.",
    "Related to that, I feel better in the mornings.",
    "I am married to a man who never talks.",
    "My doctor said that it is nothing.",
    "Ms is what I prefer, not Mrs.",
    "It was the 2019/2020 season when I stopped running.",
    "I have type 2 diabetes and an A1C of 7.1.",
    "COVID-19 took my sense of smell.",
    "My B12 is low and my vitamin D is fine.",
    "The ratio is 10/10 for effort, 3/10 for result.",
    "I ran 10 km in 55:30 and a half in 2:05:10.",
    "My case is not the worst, and my account of it may be wrong.",
    "Do I have to tell the school about my ADHD?",
    "My policy is never to lend money.",
    "I got 95 out of 100 in maths, and my brother 60.",
)
