"""Prolific: one study, whose participants come to our pages and return by its completion address.

Each participant's questions are chosen when they arrive, so one study is enough. Askwise approves work when the pack is
done and the known answers are right, and leaves doubtful cases to the owner.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askwise.crowds.client import Client, PassingError, RefusedError
from askwise.crowds.options import option
from askwise.errors import CrowdError, InputError
from askwise.panels.panel import make_study, web_address
from askwise.panels.protocol import Standing, judged
from askwise.project import Project
from askwise.project.studies import Studies, Study, Visit

CROWD = "prolific"
PARAMETER = "PROLIFIC_PID"
LEFT = ("RETURNED", "TIMED-OUT", "REJECTED")
"""The states of a submission whose participant will not go on and is not paid."""
_QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
_OLDEST = 300.0
_MOST_PAGES = 1_000


@dataclass(frozen=True, slots=True)
class ProlificOptions:
    """What participants see, do and get."""

    address: str = option("the public address of our server (askwise serve)")
    places: int = option("the number of participants; it can be raised later", 10, 1)
    reward: int = option("the reward for each, in pence or cents", 100, 1)
    minutes: int = option("the minutes that a pack takes", 10, 1)
    title: str = option("what participants read first", "Are these two the same?")
    description: str = option(
        "what they read next", "Compare two records at a time, and say whether they are the same."
    )
    pack: int = option("questions for each participant", 20, 1)
    checks: int = option("questions with known answers for each participant", 2, 0)
    answers: Path | None = option("a file of pairs with known labels, for checks", None)
    publish: bool = option("whether to publish the study; until then it is a draft", False)
    approve: bool = option("whether to approve good work", True)
    fee: float = option("Prolific's fee, as a share of the reward", 0.43, 0.0)
    key: str = option("the environment variable with the token", "PROLIFIC_TOKEN")
    url: str = option("the address of Prolific's API", "https://api.prolific.com/api/v1")
    site: str = option("where participants return to", "https://app.prolific.com")
    poll: float = option("seconds between checks", 30.0, 0.0)


OPTIONS = ProlificOptions


def open_panel(options: ProlificOptions, project: Project) -> ProlificPanel:
    """Connect to Prolific, with the token from the environment."""
    client = Client(options.url, {"Authorization": f"Token {token_of(options.key)}"})
    try:
        return ProlificPanel(options, project, client)
    except BaseException:
        client.close()
        raise


def token_of(name: str) -> str:
    """The token from the environment; it is kept nowhere else."""
    token = os.environ.get(name, "")
    if not token:
        raise CrowdError(f"Prolific's token is missing: set {name} in the environment")
    return token


class ProlificPanel:
    """A study on Prolific."""

    def __init__(self, options: ProlificOptions, project: Project, client: Client) -> None:
        self._options = options
        self._project = project
        self._studies = Studies(project)
        self.poll = options.poll
        self._client = client
        self.study = self._known() or self._make()

    def _known(self) -> Study | None:
        """The study that an earlier run made; one that never reached Prolific is dropped."""
        study = self._studies.of(CROWD)
        if study is None or study.outside is not None:
            return study
        outside = self._find(study)
        if outside is None:
            self._studies.drop(study)
            return None
        self._studies.called(study, outside)
        return replace(study, outside=outside)

    def _make(self) -> Study:
        """Make the draft. It is in the database first, and has our name at Prolific, so there is never a second."""
        options = self._options
        address = web_address("address", options.address).rstrip("/")
        code = f"C{secrets.token_hex(5).upper()}"
        finish = f"{options.site.rstrip('/')}/submissions/complete?cc={code}"
        study, secret = make_study(
            self._project, CROWD, PARAMETER, finish, options.pack, options.checks, options.answers
        )
        body = {
            "name": options.title,
            "internal_name": self._name(study),
            "description": options.description,
            "external_study_url": f"{address}/join/{secret}?{_QUERY}",
            "prolific_id_option": "url_parameters",
            "completion_codes": [
                {
                    "code": code,
                    "code_type": "COMPLETED",
                    "actor": "participant",
                    "actions": [{"action": "MANUALLY_REVIEW"}],
                }
            ],
            "total_available_places": options.places,
            "estimated_completion_time": options.minutes,
            "reward": options.reward,
        }
        try:
            self._client.call("POST", "/studies/", json=body, once=True)
        except PassingError:
            pass  # perhaps it was made all the same: look
        except CrowdError:
            self._studies.drop(study)
            raise
        made = self._known()
        if made is None:
            raise CrowdError("Prolific did not make the study; try again later")
        return made

    def _name(self, study: Study) -> str:
        return f"askwise:{self._project.about.key}:{study.id}"

    def _find(self, study: Study) -> str | None:
        found = self._client.get("/studies/")
        return next((str(one["id"]) for one in found["results"] if one.get("internal_name") == self._name(study)), None)

    def begin(self, limit: float | None) -> list[str]:
        """Publish the draft, or start it again after a pause, with more places if needed."""
        options = self._options
        price = options.places * options.reward / 100.0 * (1.0 + options.fee)
        if limit is not None and price > limit:
            raise InputError(f"{options.places} places cost about {price:,.2f}, and the limit is {limit:,.2f}")
        there = self._client.get(self._path)
        if int(there.get("total_available_places", 0)) < options.places:
            self._client.call("PATCH", self._path, json={"total_available_places": options.places})
        lines = [f"study {self.study.outside}: {options.places} places, about {price:,.2f} with fees"]
        status = there.get("status")
        if not options.publish:
            return [*lines, f"it is {str(status).lower()}; say publish=yes to let people in"]
        action = {"UNPUBLISHED": "PUBLISH", "PAUSED": "START"}.get(str(status))
        if action:
            self._client.post(f"{self._path}transition/", {"action": action})
        return lines

    @property
    def _path(self) -> str:
        return f"/studies/{self.study.outside}/"

    def pause(self) -> None:
        """Let in no one else; those who have begun may finish."""
        if self._client.get(self._path).get("status") == "ACTIVE":
            self._client.post(f"{self._path}transition/", {"action": "PAUSE"})

    def look(self) -> Standing:
        """Check who finished, and approve their work."""
        submissions = self._submissions()
        visits = {visit.worker: visit for visit in self._studies.visits(self.study)}
        remarks = [self._judge(one, visits.get(f"{CROWD}:{one['participant_id']}")) for one in submissions]
        remarks += self._strangers(visits, {f"{CROWD}:{one['participant_id']}" for one in submissions})
        paid = sum(one["status"] in ("APPROVED", "AWAITING REVIEW") for one in submissions)
        status = self._client.get(self._path).get("status")
        return Standing(
            len(visits),
            sum(visit.ended is not None for visit in visits.values()),
            paid * self._options.reward / 100.0 * (1.0 + self._options.fee),
            status in ("COMPLETED", "AWAITING REVIEW"),
            tuple(remark for remark in remarks if remark),
        )

    def _submissions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        path = f"{self._path}submissions/"
        for _ in range(_MOST_PAGES):
            page = self._client.get(path)
            found += page["results"]
            following = ((page.get("_links") or {}).get("next") or {}).get("href")
            if not following:
                break
            # Only the place within the interface counts: a page that leads elsewhere gets no token of ours.
            parts = urlsplit(following)
            path = f"{self._path}submissions/?{parts.query}"
        return found

    def _judge(self, submission: dict[str, Any], visit: Visit | None) -> str:
        """Judge one submission; returns a remark if the owner has to look at it."""
        status = str(submission["status"])
        if visit is None or visit.verdict == "approved":
            return "" if visit is not None or status != "AWAITING REVIEW" else _review(submission, "was never here")
        if status == "APPROVED":
            self._studies.judge(visit, "approved")
        elif status == "AWAITING REVIEW":
            if visit.ended is None:
                return _review(submission, "did not finish here")
            why = judged(self._studies, visit.worker)
            if why:
                self._project.exclude(visit.worker)
                self._studies.judge(visit, why)
                return _review(submission, why)
            if self._options.approve:
                try:
                    self._client.post(f"/submissions/{submission['id']}/transition/", {"action": "APPROVE"})
                except RefusedError as error:
                    return _review(submission, f"could not be approved: {error}")
                self._studies.judge(visit, "approved")
        else:
            self._studies.judge(visit, status.lower())
        return ""

    def _strangers(self, visits: dict[str, Visit], known: set[str]) -> list[str]:
        """Exclude participants with ids that Prolific does not know."""
        found = [visit for name, visit in visits.items() if name not in known and not visit.verdict]
        for visit in found:
            self._project.exclude(visit.worker)
            self._studies.judge(visit, "unknown to Prolific")
        return [f"{visit.worker} is unknown to Prolific; their votes do not count" for visit in found]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _review(submission: dict[str, Any], why: str) -> str:
    return f"look at the submission {submission['id']} yourself: {submission['participant_id']} {why}"


def is_signed(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """Whether Prolific sent this recently."""
    try:
        age = abs(time.time() - float(timestamp))
    except ValueError:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    right = hmac.compare_digest(base64.b64encode(digest), signature.encode())
    return right and age <= _OLDEST
