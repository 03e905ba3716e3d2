"""Runs a panel: lets people in until a stopping rule holds, and sees that they are paid."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from threading import Event

from askwise.asking.pairs_to_ask import choose
from askwise.asking.runner import Rules
from askwise.crowds.options import read_options
from askwise.crowds.registry import module_of
from askwise.panels.protocol import Panel, Standing
from askwise.panels.registry import PANELS
from askwise.project import Project
from askwise.project.ledger import Ledger
from askwise.project.studies import Studies


def run_panel(
    project: Project, name: str, options: Iterable[str], rules: Rules, say: Callable[[str], object]
) -> Standing:
    """Let people in and look after them until a rule holds. They answer on the pages of `askwise serve`."""
    module = module_of(name, PANELS)
    panel: Panel = module.open_panel(read_options(module.OPTIONS, options), project)
    stop = Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for line in panel.begin(rules.money):
            say(line)
        standing = _watch(project, panel, rules, stop, say)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        panel.close()
    say(f"{standing.came:,} people came, {standing.finished:,} finished, spent about {standing.spent:,.2f}")
    return standing


def _watch(project: Project, panel: Panel, rules: Rules, stop: Event, say: Callable[[str], object]) -> Standing:
    studies, told, paused = Studies(project), set[str](), False
    while True:
        project.refresh()
        if rules.among != "new":
            _put_doubtful(project, panel.study.crowd, rules)
        standing = panel.look()
        for remark in standing.remarks:
            if remark not in told:
                told.add(remark)
                say(remark)
        if not paused and (why := _holds(project, studies, panel, rules)):
            panel.pause()
            paused = True
            say(f"{why}: no more participants are admitted")
        if rules.once or standing.done or stop.is_set() or (paused and standing.came == standing.finished):
            return standing
        stop.wait(max(panel.poll, 0.05))


def _holds(project: Project, studies: Studies, panel: Panel, rules: Rules) -> str:
    """The stopping rule that holds, if any."""
    with project.lock:
        if why := rules.reached(project.resolution):
            return why
    if rules.until.gain is not None and not choose(project, rules.among, 1, (), until=rules.until):
        return f"nothing is left to ask that is worth more than {rules.until.gain:g}"
    answered = sum(studies.answered(visit) for visit in studies.visits(panel.study))
    if rules.questions is not None and answered >= rules.questions:
        return f"{answered:,} questions were answered"
    if rules.votes is not None and answered >= rules.votes:
        return f"{answered:,} votes were given"
    return ""


def _put_doubtful(project: Project, crowd: str, rules: Rules) -> None:
    """Put doubtful pairs before all others; each is put once."""
    ledger = Ledger(project, f"panel:{crowd}")
    pairs = choose(project, "doubtful", rules.batch, ledger.sent())
    rows = ledger.send(pairs)
    project.ask_more([(row.left, row.right) for row in rows])
