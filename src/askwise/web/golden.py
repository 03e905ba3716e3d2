"""Pages of golden records: one record for each cluster, the origin of each value, and the rules."""

from __future__ import annotations

from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from askwise.errors import InputError
from askwise.project.golden import NEWEST, PREFERENCE, RULES, TRUSTED, GoldenRecords, set_rules, set_value
from askwise.web.site import Site, check_form
from askwise.web.wording import sentence


def golden_pages(site: Site) -> APIRouter:
    """The routes of golden records."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project
    known: dict[str, tuple[object, object, GoldenRecords]] = {}
    lock = Lock()

    def records() -> GoldenRecords:
        """The golden records by the present rules; cached, because it reads whole columns."""
        with lock:
            rules = project.desk.preference("", PREFERENCE)
            kept = known.get("")
            if kept is None or kept[0] is not project.table or kept[1] != rules:
                kept = known[""] = project.table, rules, GoldenRecords(project)
            return kept[2]

    @router.get("/clusters/{number}/golden")
    def golden(request: Request, number: int) -> Response:
        visitor = site.reader(request)
        row = site.cluster(number)
        values = records().of(row.members, project.hidden(visitor.role))
        return site.page(request, "golden.html", visitor, row=row, values=values)

    @router.post("/clusters/{number}/golden")
    def by_hand(
        request: Request,
        number: int,
        csrf: Annotated[str, Form()],
        field: Annotated[str, Form(max_length=1000)],
        value: Annotated[str, Form(max_length=20_000)] = "",
        do: Annotated[str, Form(max_length=10)] = "set",
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        row = site.cluster(number)
        if field in project.hidden(visitor.role):
            raise InputError(f"there is no field {field[:40]!r}")
        set_value(project, row.members[0], field, None if do == "clear" else value, visitor.name)
        said = f"{field} follows its rule again." if do == "clear" else f"{field} is set by hand."
        return site.go(f"/clusters/{number}/golden", said)

    def rules_page(request: Request, wrong: str = "") -> Response:
        visitor = site.reader(request)
        hidden = project.hidden(visitor.role)
        rules = {name: rule for name, rule in records().rules.items() if name not in hidden}
        times = [name for name, kind in project.table.kinds.items() if kind in ("date", "number")]
        context = {"rules": rules, "names": RULES, "times": times, "wrong": wrong}
        context["sources"] = sorted(set(project.table.sources or ()))
        return site.page(request, "golden_rules.html", visitor, 422 if wrong else 200, **context)

    @router.get("/golden")
    def rules(request: Request) -> Response:
        return rules_page(request)

    @router.post("/golden")
    def save(
        request: Request,
        csrf: Annotated[str, Form()],
        name: Annotated[list[str] | None, Form()] = None,
        rule: Annotated[list[str] | None, Form()] = None,
        by: Annotated[str, Form(max_length=1000)] = "",
        order: Annotated[str, Form(max_length=4000)] = "",
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        names, said = name or [], rule or []
        if len(names) != len(said):
            raise InputError("the form does not fit the fields of the project; reload the page")
        sources = [source.strip() for source in order.split(",") if source.strip()]
        kept = {one: {"rule": old.rule, "by": old.by, "order": list(old.order)} for one, old in records().rules.items()}
        try:
            chosen = {one: _rule(how, by, sources) for one, how in zip(names, said, strict=True)}
            set_rules(project, kept | chosen, visitor.name)
        except InputError as error:
            return rules_page(request, sentence(str(error)))
        return site.go("/golden", "The rules are saved.")

    return router


def _rule(rule: str, by: str, sources: list[str]) -> dict[str, Any]:
    return {"rule": rule, "by": by if rule == NEWEST else "", "order": sources if rule == TRUSTED else []}
