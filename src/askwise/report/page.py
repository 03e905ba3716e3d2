"""A self-contained HTML page made of headings, text, tables and charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from askwise.cells import visible
from askwise.errors import AskwiseError

Spec = dict[str, Any]

_LONG = 40  # letters; texts that are longer begin at the left

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child, td.long { text-align: left; }
thead th { border-bottom: 2px solid #666; }
figure { margin: 1.5rem 0; overflow-x: auto; }
figcaption, .note { color: #555; font-size: .9rem; }
"""


def _cell(value: object) -> str:
    text = str(value)
    return f"<td{' class=long' if len(text) > _LONG else ''}>{escape(text)}</td>"


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise AskwiseError("the report needs a chart library: pip install 'askwise[report]'") from None
    return vl_convert


def chart_of(values: list[dict[str, object]], **rest: object) -> Spec:
    """A Vega-Lite chart of these values; the other arguments say how they are drawn."""
    return {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "data": {"values": values}, **rest}


class Page:
    """Collects parts in order; `html()` is the page."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self._specs: list[Spec] = []
        self._converter = _converter()

    def heading(self, text: str) -> None:
        """A section's heading."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """A paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> None:
        """A table with a caption."""
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        self._parts.append(
            f"<figure><figcaption>{escape(caption)}</figcaption>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></figure>"
        )

    def chart(self, spec: Spec, caption: str) -> None:
        """A Vega-Lite chart: a static picture that becomes interactive with JavaScript."""
        picture = self._converter.vegalite_to_svg(spec)
        number = len(self._specs)
        self._specs.append(spec)
        self._parts.append(
            f'<figure><div id="chart{number}" role="img" aria-label="{escape(caption)}">{picture}</div>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def html(self) -> str:
        """The page as text."""
        specs = json.dumps(self._specs).replace("</", "<\\/")
        start = (
            "for (const [i, spec] of SPECS.entries()) vegaEmbed('#chart' + i, spec, {actions: true, renderer: 'svg'});"
        )
        # A closing tag inside the script would end it.
        bundle = self._converter.javascript_bundle(f"const SPECS = {specs};\n{start}") if self._specs else ""
        bundle = bundle.replace("</script", "<\\/script")
        title = visible(escape(self._title))
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>\n"
            f"<body><h1>{title}</h1>\n"
            + visible("\n".join(self._parts))
            + f"\n<script>{bundle}</script></body></html>\n"
        )


def write_page(path: Path, html: str) -> None:
    """Write the page atomically."""
    part = path.with_suffix(".part")
    part.write_text(html, encoding="utf-8")
    part.replace(path)
