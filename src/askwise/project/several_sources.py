"""Projects whose records are from several sources."""

from __future__ import annotations

import json
from typing import Any

from askwise.blocking.possible import ACROSS, Links
from askwise.errors import ProjectError
from askwise.project.folder import About
from askwise.sources import sourced_id
from askwise.tables import Table


def links_text(links: Links) -> str:
    """The links as text for askwise.toml."""
    return "" if links is None else links if isinstance(links, str) else json.dumps([list(link) for link in links])


def links_of(about: About) -> Links:
    """The links in a text of askwise.toml."""
    if about.links in ("", ACROSS):
        return about.links or None
    try:
        return [(str(one), str(two)) for one, two in json.loads(about.links)]
    except (ValueError, TypeError):
        raise ProjectError(f"askwise.toml: links = {about.links!r} are not pairs of sources in JSON") from None


def sourced(records: Any, about: About, known: Table) -> Table:
    """New records for a project, with their sources in front of their ids if the project's records have that."""
    new = Table.read(records, about.id, about.source or None)
    if known.sourced and new.sources is not None and not new.sourced:
        new.ids = [sourced_id(source, record) for source, record in zip(new.sources, new.ids, strict=True)]
    return new
