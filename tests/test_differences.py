"""Where two texts differ."""

import math
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.differences import Part, differences, shown

_WORDS = st.lists(
    st.sampled_from(["Anna", "Ana", "Miller", "12", "st.", "Straße", "  ", ",", "東京"]), max_size=12
).map(" ".join)


def _text(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


def _marked(parts: list[Part]) -> str:
    """The text with [what differs] and (what is near) in brackets."""
    forms = {"same": "{}", "near": "({})", "differs": "[{}]"}
    return "".join(forms[part.mark].format(part.text) for part in parts)


@pytest.mark.parametrize(
    ("left", "right", "marked_left", "marked_right"),
    [
        ("Anna Miller", "Anna Miller", "Anna Miller", "Anna Miller"),
        ("Anna Miller", "Ana Miller", "(An)[n](a) Miller", "(Ana) Miller"),
        ("00184", "00185", "(0018)[4]", "(0018)[5]"),
        ("Rome", "Oslo", "[Rome]", "[Oslo]"),
        ("Rome", "", "Rome", ""),
        ("Main St 12", "Main St 12 b", "Main St 12", "Main St 12[ b]"),
        ("Mei aVrga", "Varga, Mie", "(Me)[i] (a)[V](rga)", "[V](arga)[,] (M)[i](e)"),
        ("ROME", "Rome", "(ROME)", "(Rome)"),
        ("Anna Miller", "Miller Anna", "Anna( Miller)", "(Miller )Anna"),
    ],
)
def test_marks(left: str, right: str, marked_left: str, marked_right: str) -> None:
    one, other = differences(left, right)
    assert (_marked(one), _marked(other)) == (marked_left, marked_right)


@given(st.text(max_size=60) | _WORDS, st.text(max_size=60) | _WORDS)
def test_nothing_is_lost_and_only_what_is_equal_or_missing_is_unmarked(left: str, right: str) -> None:
    one, other = differences(left, right)
    assert (_text(one), _text(other)) == (left, right)
    assert all(part.text for part in [*one, *other])
    unmarked = all(part.mark == "same" for part in [*one, *other])
    assert unmarked == (left == right or not left or not right)
    assert differences(left, right) == (one, other)


def test_huge_texts_take_linear_time() -> None:
    left, right = "a b " * 200_000 + "x", "b a " * 200_000 + "y"
    one, other = differences(left, right)
    assert (_text(one), _text(other)) == (left, right)
    assert (one[-1], other[-1]) == (Part("x", "differs"), Part("y", "differs"))
    wide, narrow = differences("x" * 10_000_000, "y")
    assert (len(wide), len(narrow)) == (1, 1)


def test_values_as_people_read_them() -> None:
    values = [None, math.nan, 12.0, 1.5, date(2020, 1, 2), datetime(2020, 1, 2), datetime(2020, 1, 2, 3, 4), "x", 7]
    assert [shown(value) for value in values] == [
        *("", "", "12", "1.5", "2020-01-02", "2020-01-02", "2020-01-02T03:04:00", "x", "7"),
    ]
