"""Label Studio's annotators, over its REST interface.

A project there has a task for each question, with three choices. The rank of a question becomes the score of a
prediction, by which Label Studio orders the tasks. An annotation is a vote by the annotator who completed it; a skipped
one is unsure.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwise.crowds.client import PassingError
from askwise.crowds.label_studio_server import PAGE, LabelStudioServer
from askwise.crowds.options import option
from askwise.crowds.protocol import Context, Order, Record, Reply
from askwise.differences import shown
from askwise.errors import CrowdError

CHOICES: dict[str, bool | None] = {"Yes": True, "No": False, "Can't tell": None}
CONFIG = """\
<View>
  <Header value="Are these two the same?"/>
  <View style="display: flex; gap: 1em">
    <View style="flex: 1"><Table name="left" value="$left"/></View>
    <View style="flex: 1"><Table name="right" value="$right"/></View>
  </View>
  <Choices name="same" toName="left,right" choice="single" required="true" showInline="true">
    <Choice value="Yes" hotkey="y"/><Choice value="No" hotkey="n"/><Choice value="Can't tell" hotkey="u"/>
  </Choices>
</View>
"""
MODEL = "askwise"
ACTIONS = ["ANNOTATION_CREATED", "ANNOTATION_UPDATED"]
_IMPORT = 1_000


@dataclass(frozen=True, slots=True)
class LabelStudioOptions:
    """The server, and settings of the project there."""

    url: str = option("the address of Label Studio")
    key: str = option("the environment variable with the token", "LABEL_STUDIO_API_KEY")
    project: int = option("the number of the project there; 0 for Askwise's own, made if there is none", 0, 0)
    votes: int = option("annotators for each question; 0: as many as the project's settings want", 0, 0)
    ahead: int = option("unanswered questions to keep there", 50, 1)
    poll: float = option("seconds between checks for annotations", 10.0, 0.0)
    webhook: str = option("the address of our server (askwise serve), to receive annotations at once", "")


OPTIONS = LabelStudioOptions


def open_crowd(options: LabelStudioOptions, context: Context) -> LabelStudioCrowd:
    """Connect to a server."""
    token = os.environ.get(options.key, "")
    if not token:
        raise CrowdError(f"Label Studio's token is missing: set {options.key} in the environment")
    server = LabelStudioServer(options.url, token)
    try:
        server.log_in()
        return LabelStudioCrowd(options, context, server)
    except BaseException:
        server.close()
        raise


class LabelStudioCrowd:
    """Annotators: questions are sent ahead, and annotations are fetched."""

    lasts, waits = True, True

    def __init__(self, options: LabelStudioOptions, context: Context, server: LabelStudioServer) -> None:
        self._options = options
        self._context = context
        self._server = server
        self._votes = options.votes or context.votes
        self._project = options.project or self._find() or self._make()
        self.name = f"label-studio:{self._project}"
        self._orders: dict[int, int] = {}  # task there: order here
        self._looked = 0.0
        if options.webhook:
            self._announce(options.webhook)

    def _find(self) -> int | None:
        """The project that an earlier run made."""
        for found in self._server.pages("/api/projects/", "results", {}):
            if self._mark in str(found.get("description") or ""):
                return int(found["id"])
        return None

    @property
    def _mark(self) -> str:
        return f"askwise:{self._context.key}"

    def _make(self) -> int:
        made = self._server.call(
            "POST",
            "/api/projects/",
            once=True,
            json={
                "title": f"Askwise: {self._context.name}"[:50],
                "description": f"Questions from Askwise; please leave this mark: {self._mark}",
                "label_config": CONFIG,
                "expert_instruction": self._context.instructions,
                "show_instruction": bool(self._context.instructions),
                "maximum_annotations": self._votes,
                "sampling": "Uncertainty sampling",
                "model_version": MODEL,
                "show_collab_predictions": False,
                "show_skip_button": True,
            },
        )
        return int(made["id"])

    def _announce(self, address: str) -> None:
        """Have annotations sent to our server, unless they already are."""
        target = f"{address.rstrip('/')}/hooks/label-studio"
        known = self._server.call("GET", "/api/webhooks/", params={"project": self._project})
        if any(hook.get("url") == target for hook in known):
            return
        token = os.environ.get("ASKWISE_TOKEN", "")
        if not token:
            raise CrowdError("a webhook needs the owner's token of our server: set ASKWISE_TOKEN in the environment")
        headers = {"Authorization": f"Bearer {token}"}
        hook = {"project": self._project, "url": target, "headers": headers, "actions": ACTIONS}
        self._server.call("POST", "/api/webhooks/", json=hook | {"send_payload": True, "send_for_all_actions": False})

    @property
    def room(self) -> int:
        """How many more questions may wait there."""
        return self._options.ahead - len(self._orders)

    def estimate(self, order: Order) -> float:
        """Nothing is paid through Askwise."""
        return 0.0

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Import new tasks; a task has the number of its order, so nothing is imported twice."""
        known = {order.id: order.outside for order in orders if order.outside is not None}
        if len(known) < len(orders):
            known |= self._there({order.id for order in orders} - known.keys())
        missing = [order for order in orders if order.id not in known]
        for start in range(0, len(missing), _IMPORT):
            some = missing[start : start + _IMPORT]
            path, ask = f"/api/projects/{self._project}/import", {"return_task_ids": "true"}
            try:
                made = self._server.call("POST", path, json=[_task(order) for order in some], params=ask, once=True)
            except PassingError:  # perhaps it was carried out, so it is not simply tried again
                made = {}
            numbers = made.get("task_ids") or []
            if len(numbers) != len(some):  # other editions import later, and do not say what
                known |= self._wait_for({order.id for order in some})
            else:
                known |= {order.id: str(number) for order, number in zip(some, numbers, strict=True)}
        self._orders |= {int(task): order for order, task in known.items()}
        return {order: str(task) for order, task in known.items()}

    def _there(self, orders: set[int]) -> dict[int, str]:
        """The existing tasks of these orders."""
        query = {"project": self._project, "fields": "all"}
        tasks = self._server.pages("/api/tasks", "tasks", query)
        found = {task.get("data", {}).get("askwise"): str(task["id"]) for task in tasks}
        return {order: task for order, task in found.items() if order in orders}

    def _wait_for(self, orders: set[int]) -> dict[int, str]:
        for _ in range(60):
            found = self._there(orders)
            if len(found) == len(orders):
                return found
            time.sleep(1.0)
        raise CrowdError("Label Studio took questions, but they did not appear within a minute; start again later")

    def collect(self, seconds: float) -> list[Reply]:
        """All annotations of open tasks; the ledger knows which are new."""
        pause = self._looked + self._options.poll - time.monotonic()
        if pause > 0.0 and self._looked:
            time.sleep(min(pause, seconds))
            if pause > seconds:
                return []
        self._looked = time.monotonic()
        replies: list[Reply] = []
        tasks = list(self._orders)
        for start in range(0, len(tasks), PAGE):
            query = {"exportType": "JSON", "ids[]": tasks[start : start + PAGE]}
            for task in self._server.call("GET", f"/api/projects/{self._project}/export", params=query):
                order = self._orders.get(int(task["id"]))
                if order is not None:
                    replies += replies_to(order, task["annotations"], self._votes)
        for reply in replies:
            if reply.done:
                self._orders = {task: order for task, order in self._orders.items() if order != reply.order}
        return replies

    def remarks(self) -> str:
        """The address of the questions."""
        return f"the questions are in project {self._project} at {self._options.url}"

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def _task(order: Order) -> dict[str, Any]:
    score = order.rank / (order.rank + 1.0)  # the smallest is handed out first
    return {
        "data": {"askwise": order.id, "left": _fields(order.left_record), "right": _fields(order.right_record)},
        "predictions": [{"model_version": MODEL, "score": score, "result": []}],
    }


def _fields(record: Record | None) -> dict[str, str]:
    return {name: shown(value) for name, value in (record or {}).items()}


def replies_to(order: int, annotations: Sequence[dict[str, Any]], votes: int) -> list[Reply]:
    """Annotations as votes; a changed one is a further vote by the same worker. Gold ones are left out."""
    found = []
    for item in annotations:
        chosen = [part["value"]["choices"] for part in item["result"] if part.get("from_name") == "same"]
        skipped = bool(item.get("was_cancelled"))
        if item.get("ground_truth") or (not skipped and (len(chosen) != 1 or chosen[0][0] not in CHOICES)):
            continue
        by = item["completed_by"]
        worker = f"label-studio:{by['id'] if isinstance(by, dict) else by}"
        took = item.get("lead_time")
        found.append(
            Reply(
                order,
                worker,
                None if skipped else CHOICES[chosen[0][0]],
                seconds=float(took) if isinstance(took, int | float) and took >= 0 else None,
                request=f"annotation {item['id']} {item.get('updated_at', '')}",
                done=False,
            )
        )
    if len({reply.worker for reply in found}) >= votes:
        found = [replace(reply, done=True) for reply in found]
    return found
