"""Language models as workers: any server with an OpenAI-compatible `/chat/completions`.

A model is one worker. However often it is asked about a pair, its answers are one vote, because they err together. The
vote is a probability: that of yes against no, if the server gives probabilities, and the mean over all samples.

Which record comes first is random for each pair, and swapped for each further sample; `remarks` reports how much that
mattered.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from askwise.crowds.chat import AnswerError, Chat
from askwise.crowds.client import Client
from askwise.crowds.messages import ANSWERS, TRIAL, Example, Message, Shares, messages
from askwise.crowds.options import option
from askwise.crowds.protocol import Context, Order, Reply
from askwise.crowds.requests import Requests
from askwise.errors import CrowdError
from askwise.evidence import Label
from askwise.labels import label_of
from askwise.pair_tables import LEFT, RIGHT
from askwise.sources import open_source


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """Which model, where, how often, and at what price."""

    model: str = option("the model's name")
    url: str = option("the server's address, without /chat/completions", "https://api.openai.com/v1")
    key: str = option("the environment variable with the key", "OPENAI_API_KEY")
    worker: str = option("the worker's name; the default is the model's", "")
    concurrency: int = option("requests that run at once", 8, 1)
    samples: int = option("answers to each question; 0: one if the server gives probabilities, else three", 0, 0)
    price_in: float = option("the price of a million tokens of questions", 0.0, 0.0)
    price_out: float = option("the price of a million tokens of answers", 0.0, 0.0)
    max_tokens: int = option("the longest answer; models that think first need a few thousand", 64, 1)
    seconds: float = option("how long to wait for an answer", 60.0, 0.01)
    attempts: int = option("how many times to try", 6, 1)
    examples: Path | None = option("a file of pairs with known labels to show the model", None)


OPTIONS = LlmOptions


def open_crowd(options: LlmOptions, context: Context) -> LlmCrowd:
    """Make a crowd of one model."""
    return LlmCrowd(options, context)


class LlmCrowd:
    """One model, asked by several threads. If the process is killed, open requests are lost."""

    lasts, waits = False, True

    def __init__(self, options: LlmOptions, context: Context) -> None:
        self._options = options
        self._context = context
        self._examples = _examples(options.examples, context)
        self._worker = options.worker or options.model
        self.name = f"llm:{self._worker}"
        key = os.environ.get(options.key, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = Client(
            options.url, headers, seconds=options.seconds, attempts=options.attempts, most=options.concurrency
        )
        self._chat = Chat(self._client, options.model, options.max_tokens, options.price_in, options.price_out)
        self._requests = Requests(self._reply, options.concurrency)
        self._lock = Lock()
        self._yes = {False: [0.0, 0], True: [0.0, 0]}  # by swapped: the sum of yes, and how many answers
        self._probed: float | None = None

    @property
    def room(self) -> int:
        """How many more requests may run at once."""
        return self._requests.room

    @property
    def samples(self) -> int:
        """How many answers make a vote; the most, until it is known what the server supports."""
        told = self._probed is not None and self._chat.abilities.logprobs
        return self._options.samples or (1 if told else 3)

    def estimate(self, order: Order) -> float:
        """All samples at their longest, and the trial if it is still to come."""
        trial = self._chat.estimate(TRIAL) if self._probed is None else 0.0
        return self.samples * self._chat.estimate(self._prompt(order, 0)) + trial

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Start the requests. Before the first one, a trial shows what the server supports."""
        if self._probed is None and orders:
            self._probed = self._chat.probe(TRIAL)
        self._requests.start(orders)
        return {}

    def collect(self, seconds: float) -> list[Reply]:
        """The replies so far."""
        return self._requests.replies(seconds)

    def _reply(self, order: Order) -> Reply:
        """Get all samples; failures are returned, not raised."""
        begin = time.monotonic()
        with self._lock:
            cost, self._probed = self._probed or 0.0, 0.0
        total = dict.fromkeys(ANSWERS, 0.0)
        answers: list[Shares] = []
        samples, first = self.samples, _chance(order)
        temperature = 0.0 if samples == 1 or self._chat.abilities.logprobs else 0.7
        try:
            for sample in range(samples):
                turn = first ^ (sample & 3)
                key = f"askwise-{self._context.key}-{self.name}-{order.id}-{sample}"
                digest = hashlib.sha256(key.encode()).hexdigest()
                said = self._chat.ask(self._prompt(order, turn), temperature, digest)
                cost += said.cost
                for word, share in said.shares.items():
                    total[word] += share / samples
                answers.append(said.shares)
                with self._lock:
                    self._yes[bool(turn & 1)][0] += said.shares["yes"]
                    self._yes[bool(turn & 1)][1] += 1
        except AnswerError as error:
            return Reply(order.id, failed=str(error), cost=cost + error.cost)
        except Exception as error:  # a thread that dies would leave its question out for ever
            return Reply(order.id, failed=f"{type(error).__name__}: {error}", cost=cost)
        shown = {"swapped": bool(first & 1), "samples": samples, "p": {k: round(v, 4) for k, v in total.items()}}
        seconds = time.monotonic() - begin
        label = label_of_samples(answers)
        return Reply(order.id, self._worker, label, cost=cost, seconds=seconds, shown=json.dumps(shown))

    def _prompt(self, order: Order, turn: int) -> list[Message]:
        left, right = order.left_record or {}, order.right_record or {}
        in_json = self._chat.abilities.schema
        return messages(self._context.instructions, self._examples, left, right, turn, in_json)

    def remarks(self) -> str:
        """How often the model said yes with the records in order, and swapped."""
        (plain, plain_count), (turned, turned_count) = self._yes[False], self._yes[True]
        if not plain_count or not turned_count:
            return ""
        shares = f"{plain / plain_count:.1%} of {plain_count:,} and {turned / turned_count:.1%} of {turned_count:,}"
        return f"yes with the records in one order and in the other: {shares} (far apart: the order sways the model)"

    def close(self) -> None:
        """Let the threads end, and close the connections."""
        self._requests.stop()
        self._client.close()


def label_of_samples(samples: Sequence[Shares]) -> Label:
    """The vote of several samples: the mean probability of yes against no over the samples that are not mainly unsure.

    It is a plain yes or no if nothing contradicts it.
    """
    sure = [shares for shares in samples if shares["unsure"] <= max(shares["yes"], shares["no"])]
    if not sure:
        return None
    p = math.fsum(shares["yes"] / (shares["yes"] + shares["no"]) for shares in sure) / len(sure)
    return p if 0.0 < p < 1.0 else p == 1.0


def _chance(order: Order) -> int:
    """Two random bits of the pair: which record comes first, and in which order the answers are named."""
    return hashlib.blake2b(f"{order.left}\0{order.right}".encode(), digest_size=1).digest()[0] & 3


def _examples(path: Path | None, context: Context) -> list[Example]:
    if path is None:
        return []
    source = open_source(path)
    for name in (LEFT, RIGHT, "label"):
        source.need(name, f"Examples need {LEFT}, {RIGHT}, label.")
    rows = zip(*source.load([LEFT, RIGHT, "label"]), strict=True)
    found = []
    for at, (left, right, label) in enumerate(rows):
        known = label_of(source, at, label)
        found.append(Example(context.record(str(left)), context.record(str(right)), known))
    if not found:
        raise CrowdError(f"{path} has no examples")
    return found
