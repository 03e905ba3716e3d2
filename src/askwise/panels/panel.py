"""Any panel that sends people to an address with an id in it, and takes them back by a redirect or a code.

Examples are CloudResearch Connect (participantId), SONA (survey_code), Microworkers (MW_ID) and Clickworker
(worker_id). Give them the link that is shown, and name their id in `parameter`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from askwise.crowds.options import option
from askwise.errors import InputError
from askwise.panels.protocol import Standing, judged
from askwise.project import Project
from askwise.project.imports import read_votes
from askwise.project.studies import Studies, Study


@dataclass(frozen=True, slots=True)
class PanelOptions:
    """The size of a pack, and how people come and go."""

    address: str = option("the public address of our server (askwise serve)")
    finish: str = option("where participants go at the end, with the completion code in the address")
    parameter: str = option("the parameter with the participant's id in the address", "participantId")
    name: str = option("the name of the study here", "panel")
    pack: int = option("questions for each participant", 20, 1)
    checks: int = option("questions with known answers for each participant", 0, 0)
    answers: Path | None = option("a file of pairs with known labels, for checks", None)
    poll: float = option("seconds between checks", 10.0, 0.0)


OPTIONS = PanelOptions


def open_panel(options: PanelOptions, project: Project) -> PlainPanel:
    """Make a panel that is only a link."""
    return PlainPanel(options, project)


def web_address(what: str, address: str) -> str:
    """Check an address for browsers."""
    if not address.startswith(("http://", "https://")) or any(letter.isspace() for letter in address):
        raise InputError(f"{what}={address}: it must be an address that begins with https:// or http://")
    return address


def make_study(
    project: Project, crowd: str, parameter: str, finish: str, pack: int, checks: int, answers: Path | None
) -> tuple[Study, str]:
    """Make a study with its known answers; returns it with its link's secret."""
    studies = Studies(project)
    if answers is not None:
        with project.lock:
            known = studies.know(read_votes(answers, project.resolution.graph.records))
    else:
        known = studies.know([])
    if known < checks:
        raise InputError(f"checks={checks}, but {known} answers are known; name a file of more with answers=FILE")
    return studies.make(crowd, parameter, web_address("finish", finish), pack, checks)


class PlainPanel:
    """A link. Participants are counted, and nothing is paid through Askwise."""

    def __init__(self, options: PanelOptions, project: Project) -> None:
        self._options = options
        self._project = project
        self._studies = Studies(project)
        self.poll = options.poll
        self._link = ""
        found = self._studies.of(options.name)
        if found is None:
            address = web_address("address", options.address).rstrip("/")
            made = options.parameter, options.finish, options.pack, options.checks, options.answers
            found, secret = make_study(project, options.name, *made)
            self._link = f"{address}/join/{secret}?{options.parameter}="
        self.study = found

    def begin(self, limit: float | None) -> list[str]:
        """Show the link for the panel, once."""
        if not self._link:
            return [f"the study {self.study.crowd!r} goes on; its link was shown when it was made"]
        return [f"give the panel this address, with the participant's id at the end: {self._link}"]

    def look(self) -> Standing:
        """Who came and finished. The votes of those who fail the checks do not count."""
        visits = self._studies.visits(self.study)
        for visit in visits:
            if visit.ended is not None and not visit.verdict:
                why = judged(self._studies, visit.worker)
                if why:
                    self._project.exclude(visit.worker)
                self._studies.judge(visit, why or "good")
        finished = [visit for visit in visits if visit.ended is not None]
        return Standing(len(visits), len(finished), 0.0, False)

    def pause(self) -> None:
        """No one gets questions while the project is paused; those who come can finish at once."""

    def close(self) -> None:
        """Nothing is open."""
