"""Names that people give themselves, and names that look alike."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
import unicodedata

from askwise.project.values import OWNER

LONGEST = 100

# Letters of other scripts that look like Latin ones, first the capitals, then the small letters; and digits.
_CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХІЈЅ", "ABEZHIKMNOPTYXABEKMHOPCTYXIJS")
_SMALL = str.maketrans("αβεικνορτυχγωаеорсухіјѕԁԛԝһӏпгкмтi01|", "abelkvoptuxywaeopcyxljsdqwhlnrkmtloll")
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # they count as letters or signs, but show nothing


def name_of(text: str) -> str | None:
    """The name in a text, on one line; None if it cannot be a name."""
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    shown = name.isprintable() and not any(letter in _BLANK for letter in name)
    return name if shown and 0 < len(name) <= LONGEST and likeness(name) not in ("", likeness(OWNER)) else None


def likeness(name: str) -> str:
    """A key that is equal for names that people would confuse."""
    wide = unicodedata.normalize("NFKD", name).translate(_CAPITALS)
    letters = "".join(letter for letter in wide if not unicodedata.combining(letter)).casefold().translate(_SMALL)
    return re.sub(r"[\W_]+", " ", letters).strip()
