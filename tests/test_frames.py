"""Results as frames of other libraries, and as notebooks show them."""

import polars
import pytest

import askwise.frames
from askwise import InputError, Resolution, Vote, pairwise_scores

PEOPLE = [
    {"unique_id": "<b>", "name": "Anna Miller"},
    {"unique_id": "a2", "name": "Anna Miller"},
    {"unique_id": "b1", "name": "Bert Jones"},
]


@pytest.fixture(scope="module")
def resolution() -> Resolution:
    made = Resolution(PEOPLE)
    made.add_votes([Vote("<b>", "a2", "ann", True)])
    return made


def test_a_clustering_becomes_a_frame_of_each_library(resolution: Resolution) -> None:
    clustering = resolution.clustering
    expected = {"unique_id": ["<b>", "a2", "b1"], "cluster_id": [0, 0, 1]}
    assert clustering.columns() == expected
    assert clustering.to_pandas().to_dict("list") == expected
    assert clustering.to_arrow().to_pydict() == expected
    assert isinstance(clustering.to_polars(), polars.DataFrame)
    assert clustering.to_polars().to_dict(as_series=False) == expected


def test_notebooks_show_tables_without_colours_and_with_texts_made_harmless(resolution: Resolution) -> None:
    gold = {"<b>": 1, "a2": 1, "b1": 2}
    question = Resolution(["<b>", "x"]).next_questions(1)[0]
    shown = [
        resolution._repr_html_(),
        resolution.clustering._repr_html_(),
        resolution.expected_scores()._repr_html_(),
        pairwise_scores(resolution.clustering, gold)._repr_html_(),
        question._repr_html_(),
    ]
    for html in shown:
        assert html.startswith("<table>")
        assert "<b>" not in html
        assert "color" not in html
    assert "&lt;b&gt;" in shown[1]
    assert resolution.explain("<b>", "a2")._repr_html_().startswith("<pre>&lt;b&gt; and a2 are together.")
    assert "<td>3</td><td>2</td>" in shown[0]


def test_long_tables_say_how_long_they_are() -> None:
    assert "12 rows, 10 of them shown" in askwise.frames.html_table({"a": list(range(12))})


def test_a_library_that_is_missing_is_named(resolution: Resolution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(InputError, match="pip install polars"):
        resolution.clustering.to_polars()
