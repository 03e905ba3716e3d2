"""The owner's pages about clusters and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.exceptions import HTTPException

from askwise.differences import shown
from askwise.errors import InputError
from askwise.project import ClusterRow, Project, VoteRow
from askwise.project.insight import PairRow, links, never_asked
from askwise.project.values import OWNER
from askwise.web.drawings import Edge, letter
from askwise.web.questions import compared
from askwise.web.site import Site, check_form, with_query
from askwise.web.snapshot import Clusters
from askwise.web.wording import chance

PAGE = 50
_MOST_MEMBERS = 200
_MOST_LINKS = 12

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Found(Generic[Row]):
    """One page of a list."""

    rows: list[Row]
    page: int
    pages: int


def cluster_pages(site: Site) -> APIRouter:
    """The routes of clusters, pairs, conflicts and candidates."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/clusters")
    def clusters(
        request: Request, search: str = "", sort: str = "confidence", page: Annotated[int, Query(ge=1, le=10**9)] = 1
    ) -> Response:
        visitor = site.owner(request)
        rows = _sorted(_searched(project, site.snapshot.clusters().rows, search), sort)
        found = Found(rows[(page - 1) * PAGE : page * PAGE], page, _pages(len(rows)))
        return site.page(
            request,
            "clusters.html",
            visitor,
            found=found,
            sort=sort,
            summary=lambda row: _many(project, row.members),
        )

    @router.get("/clusters/{number}")
    def cluster(request: Request, number: int) -> Response:
        visitor = site.owner(request)
        known = site.snapshot.clusters()
        row = _cluster(known, number)
        shown_members = list(row.members[:_MOST_MEMBERS])
        found = links(project, row.members)
        at = {member: place for place, member in enumerate(shown_members)}
        edges = [
            Edge(at[link.left], at[link.right], link.yes, link.no)
            for link in found
            if link.yes + link.no and link.left in at and link.right in at
        ]
        return site.page(
            request,
            "cluster.html",
            visitor,
            row=row,
            nearest_cluster=None if row.nearest is None else known.of_record[row.nearest].id,
            fields=project.table.shown,
            members=[_member(site, member, place) for place, member in enumerate(shown_members)],
            hidden=len(row.members) - len(shown_members),
            names=shown_members,
            edges=edges,
            links=[
                {"row": link, "one": letter(at[link.left]), "other": letter(at[link.right])}
                for link in found[:_MOST_LINKS]
                if link.left in at and link.right in at
            ],
        )

    @router.post("/clusters/{number}/ask")
    def ask(request: Request, number: int, csrf: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        row = _cluster(site.snapshot.clusters(), number)
        pairs = _doubtful(project, row)
        asked = project.ask_more(pairs, 1) if pairs else 0
        said = f"{asked} of its pairs come first now." if asked else "There is no pair to ask about."
        return site.go(f"/clusters/{number}", said)

    @router.post("/clusters/{number}/wrong")
    def wrong(
        request: Request, number: int, csrf: Annotated[str, Form()], record: Annotated[list[str] | None, Form()] = None
    ) -> Response:
        check_form(site.owner(request), csrf)
        row = _cluster(site.snapshot.clusters(), number)
        ticked = [member for member in row.members if member in (record or [])]
        others = [member for member in row.members if member not in ticked]
        if not ticked or not others:
            return site.go(f"/clusters/{number}", "Tick the records that do not belong here, but not all of them.")
        project.editing.edit("split", [ticked], OWNER)
        site.snapshot.forget()
        return site.go("/clusters", f"Cluster {number} is split.")

    @router.get("/pair")
    def pair(request: Request, left: str, right: str) -> Response:
        visitor = site.owner(request)
        with project.lock:
            p = project.resolution.graph.p(left, right)
        of_record = site.snapshot.clusters().of_record
        return site.page(
            request,
            "pair.html",
            visitor,
            left=left,
            right=right,
            p=p,
            together=of_record[left] is of_record[right],
            fields=compared(project, site.pictures, left, right),
            votes=[_vote(row) for row in project.votes_on(left, right)],
            decided=project.desk.decision_on(left, right),
        )

    @router.post("/pair/ask")
    def ask_pair(
        request: Request, csrf: Annotated[str, Form()], left: Annotated[str, Form()], right: Annotated[str, Form()]
    ) -> Response:
        check_form(site.owner(request), csrf)
        project.ask_more([(left, right)], 1)
        return site.go(
            with_query("/pair", {"left": left, "right": right}), "One more worker is asked, before all else."
        )

    @router.post("/pair/vote")
    def vote_on_pair(
        request: Request,
        csrf: Annotated[str, Form()],
        left: Annotated[str, Form()],
        right: Annotated[str, Form()],
        answer: Annotated[str, Form()],
    ) -> Response:
        check_form(site.owner(request), csrf)
        if answer not in ("yes", "no"):
            raise InputError(f"the answer {answer[:40]!r} is not yes or no")
        project.decide(left, right, answer == "yes")
        site.snapshot.forget()
        return site.go(with_query("/pair", {"left": left, "right": right}), "Your decision is saved.")

    @router.get("/conflicts")
    def conflict_page(request: Request, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.owner(request)
        return site.page(
            request,
            "pairs.html",
            visitor,
            title="Conflicts",
            lead="Pairs on which workers disagree, the most divided first.",
            empty="Nobody disagrees with anybody so far.",
            with_votes=True,
            found=_listed(project, *site.snapshot.conflicts((page - 1) * PAGE, PAGE), page),
        )

    @router.get("/candidates")
    def candidate_page(request: Request, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.owner(request)
        return site.page(
            request,
            "pairs.html",
            visitor,
            title="Never asked",
            lead="Pairs that might be the same and that nobody was asked about, the likeliest first.",
            empty="Everything was asked.",
            with_votes=False,
            found=_listed(project, *never_asked(project, (page - 1) * PAGE, PAGE), page),
        )

    return router


def _cluster(known: Clusters, number: int) -> ClusterRow:
    row = known.by_id.get(number)
    if row is None:
        raise HTTPException(404, f"there is no cluster {number} (any more)")
    return row


def _doubtful(project: Project, row: ClusterRow) -> list[tuple[str, str]]:
    """What to ask about a cluster: its weakest links, or else some of its pairs; and its nearest neighbour."""
    pairs = [(link.left, link.right) for link in links(project, row.members)[:5]]
    if not pairs:
        pairs = list(zip(row.members, row.members[1:], strict=False))[:5]
    return pairs if row.nearest is None else [*pairs, (row.members[0], row.nearest)]


def _searched(project: Project, rows: list[ClusterRow], search: str) -> list[ClusterRow]:
    wanted = search.casefold().strip()
    if not wanted:
        return rows
    return [
        row for row in rows if any(wanted in f"{member} {brief(project, member)}".casefold() for member in row.members)
    ]


def _sorted(rows: list[ClusterRow], sort: str) -> list[ClusterRow]:
    keys = {
        "id": lambda row: row.id,
        "size": lambda row: len(row.members),
        "confidence": lambda row: (row.confidence, -len(row.members)),
    }
    name = sort.removeprefix("-")
    if name not in keys:
        raise HTTPException(422, f"there is no order {sort[:40]!r}; choose id, size or confidence")
    return sorted(rows, key=keys[name], reverse=sort.startswith("-"))


def _pages(total: int) -> int:
    return max(1, -(-total // PAGE))


def _listed(project: Project, total: int, rows: list[PairRow], page: int) -> Found[dict[str, Any]]:
    listed = [{"row": row, "one": brief(project, row.left), "other": brief(project, row.right)} for row in rows]
    return Found(listed, page, _pages(total))


def brief(project: Project, record: str, longest: int = 90) -> str:
    """A record in one line: its fields, or its id if it has none."""
    values = (shown(value) for value in project.record(record).values())
    text = ", ".join(value for value in values if value) or record
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _many(project: Project, members: Sequence[str]) -> str:
    first = "  ·  ".join(brief(project, member, 60) for member in members[:2])
    return first if len(members) <= 2 else f"{first}  ·  and {len(members) - 2:,} more"


def _member(site: Site, record: str, place: int) -> dict[str, Any]:
    values = []
    pictures = site.project.settings.image_fields
    for name, value in site.project.record(record).items():
        text = shown(value)
        picture = site.pictures.address(record, name) if name in pictures and text else None
        values.append({"name": name, "text": text if len(text) <= 200 else text[:199] + "…", "picture": picture})
    return {"id": record, "letter": letter(place), "fields": values}


def _vote(row: VoteRow) -> dict[str, Any]:
    said = {True: "yes", False: "no", None: "unsure"}[row.label]
    told = "" if row.probability is None else chance(row.probability)
    return {
        "worker": row.worker,
        "answer": said if row.action == "vote" else "took back",
        "chance": told,
        "time": row.time,
        "seconds": row.seconds,
        "source": row.source,
    }
