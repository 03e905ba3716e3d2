"""Pages about pairs: two records and why they are together or apart, conflicts, candidates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Form, Query, Request, Response

from askwise.differences import shown
from askwise.errors import InputError
from askwise.evidence.parts import FIELD, Part
from askwise.explaining import Explanation, part_name
from askwise.project import Project, VoteRow
from askwise.project.desk import on_pair
from askwise.project.edits import Edit
from askwise.project.pair_rows import PairRow
from askwise.project.values import ordered
from askwise.web.log_words import text_of
from askwise.web.people import assign as assign_to
from askwise.web.people import stewards
from askwise.web.questions import compared
from askwise.web.site import Site, check_form, with_query
from askwise.web.wording import chance

PAGE = 50

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Found(Generic[Row]):
    """One page of a list."""

    rows: list[Row]
    page: int
    pages: int
    total: int | None = None


def pages_of(total: int, size: int = PAGE) -> int:
    """How many pages a list has; an empty one has one."""
    return max(1, -(-total // size))


def pair_pages(site: Site) -> APIRouter:
    """The routes of pairs."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/pair")
    def pair(request: Request, left: str, right: str) -> Response:
        visitor = site.reader(request)
        votes = [_vote(row) for row in project.votes_on(left, right)]  # an error if there are no such records
        with project.glance() as free:
            why = project.resolution.explain(left, right) if free else None
        on, decided = on_pair(left, right), project.desk.decision_on(left, right)
        return site.page(
            request,
            "pair.html",
            visitor,
            left=left,
            right=right,
            why=why,
            bars=[] if why is None else _bars(why, project.hidden(visitor.role)),
            way=[] if why is None else [{"link": link, "p": _p(link.log_odds)} for link in why.path],
            clusters=(site.cluster_of(left).id, site.cluster_of(right).id),
            fields=compared(project, site.pictures, left, right, project.hidden(visitor.role)),
            votes=votes,
            decided=decided,
            edit=None if decided is None else _deciding(project, left, right),
            edit_text=text_of,
            comments=project.desk.comments(on),
            assignee=project.desk.assigned_to(on),
            stewards=stewards(project),
            workers=project.reserving.workers(),
            asked_of=project.reserving.on(left, right),
        )

    def back(left: str, right: str, said: str) -> Response:
        return site.go(with_query("/pair", {"left": left, "right": right}), said)

    @router.post("/pair/ask")
    def ask_pair(
        request: Request, csrf: Annotated[str, Form()], left: Annotated[str, Form()], right: Annotated[str, Form()]
    ) -> Response:
        check_form(site.steward(request), csrf)
        project.ask_more([(left, right)], 1)
        return back(left, right, "One more worker is asked about these two, before all else.")

    @router.post("/pair/vote")
    def decide(
        request: Request,
        csrf: Annotated[str, Form()],
        left: Annotated[str, Form()],
        right: Annotated[str, Form()],
        answer: Annotated[str, Form()],
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        if answer not in ("yes", "no", "unsure"):
            raise InputError(f"the answer {answer[:40]!r} is not yes, no or unsure")
        if answer == "unsure":
            project.ask_more([(left, right)], 1)
            return back(left, right, "One more worker is asked about these two, before all else.")
        project.decide(left, right, answer == "yes", person=visitor.name)
        site.snapshot.forget()
        return back(left, right, "Your decision is saved.")

    @router.post("/pair/comment")
    def comment(
        request: Request,
        csrf: Annotated[str, Form()],
        left: Annotated[str, Form()],
        right: Annotated[str, Form()],
        text: Annotated[str, Form()],
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        project.votes_on(left, right)  # an error if there are no such records
        project.editing.comment(on_pair(left, right), text, visitor.name)
        return back(left, right, "Your comment is saved.")

    @router.post("/pair/assign")
    def assign(
        request: Request,
        csrf: Annotated[str, Form()],
        left: Annotated[str, Form()],
        right: Annotated[str, Form()],
        to: Annotated[str, Form(max_length=100)] = "",
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        project.votes_on(left, right)  # an error if there are no such records
        assign_to(project, [on_pair(left, right)], to.strip(), visitor.name)
        return back(left, right, f"The two are assigned to {to.strip() or 'no one'}.")

    @router.get("/conflicts")
    def conflict_page(request: Request, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.reader(request)
        return site.page(
            request,
            "pairs.html",
            visitor,
            title="Conflicts",
            lead="Pairs on which workers disagree with each other, or all of them with the clusters; the most divided "
            "first. Pairs that were decided are not listed.",
            empty="No votes disagree so far.",
            with_votes=True,
            workers=project.reserving.workers(),
            found=_listed(project, visitor.role, *site.snapshot.conflicts((page - 1) * PAGE, PAGE), page),
        )

    @router.get("/candidates")
    def candidate_page(request: Request, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.reader(request)
        return site.page(
            request,
            "pairs.html",
            visitor,
            title="Never asked",
            lead="Candidate pairs that no worker has been asked about, the likeliest first.",
            empty="All candidates were asked or are settled.",
            with_votes=False,
            workers=project.reserving.workers(),
            found=_listed(project, visitor.role, *site.snapshot.never_asked((page - 1) * PAGE, PAGE), page),
        )

    return router


def _listed(project: Project, role: str, total: int, rows: list[PairRow], page: int) -> Found[dict[str, Any]]:
    hidden = project.hidden(role)
    assigned = project.reserving.all()
    listed = [
        {
            "row": row,
            "one": brief(project, row.left, 90, hidden),
            "other": brief(project, row.right, 90, hidden),
            "to": assigned.get(ordered(row.left, row.right)),
        }
        for row in rows
    ]
    return Found(listed, page, pages_of(total), total)


def _bars(why: Explanation, hidden: Collection[str]) -> list[tuple[str, float]]:
    """The parts of an explanation, and their sum; fields that are hidden are one part."""
    bars = [(part_name(part), part.odds) for part in why.parts if not _is_hidden(part, hidden)]
    unseen = [part.odds for part in why.parts if _is_hidden(part, hidden)]
    if unseen:
        bars.insert(1, ("fields that are hidden from you", sum(unseen)))
    return [*bars, ("In total", why.log_odds)] if why.log_odds is not None and len(bars) > 1 else bars


def _is_hidden(part: Part, hidden: Collection[str]) -> bool:
    return part.kind == FIELD and part.name in hidden


def _p(log_odds: float) -> float:
    return Explanation("", "", True, log_odds, (), (), (), ()).probability or 0.0


def _deciding(project: Project, left: str, right: str) -> Edit | None:
    """The last edit that counts and says something about this pair itself."""
    pair = ordered(left, right)
    counting = (edit for edit in reversed(project.desk.edits) if edit.counts)
    return next((edit for edit in counting if any(ordered(*one[:2]) == pair for one in edit.decisions)), None)


def brief(project: Project, record: str, longest: int = 90, hidden: Collection[str] = ()) -> str:
    """A record in one line: its visible fields, or its id if it has none."""
    values = (shown(value) for name, value in project.record(record).items() if name not in hidden)
    text = ", ".join(value for value in values if value) or record
    return text if len(text) <= longest else text[: longest - 1] + "…"


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
