"""A model behind an OpenAI-compatible `/chat/completions`: what its server supports, and single answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from askwise.crowds.client import Client, PassingError, RefusedError
from askwise.crowds.messages import SCHEMA, Message, Shares, answer_in, shares_in
from askwise.errors import CrowdError

MILLION = 1_000_000.0
OVERHEAD = 100
"""Tokens that a server may add to a prompt."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server supports: a strict schema, logprobs, a temperature, and the name of its token limit."""

    schema: bool = True
    logprobs: bool = True
    temperature: bool = True
    limit: str = "max_tokens"


class Said(NamedTuple):
    """An answer: the probability of each word (one of them 1 if the server gives none), and what it cost."""

    shares: Shares
    cost: float


class AnswerError(CrowdError):
    """The model's answer cannot be used; `cost` was paid all the same."""

    def __init__(self, message: str, cost: float) -> None:
        super().__init__(message)
        self.cost = cost


class Chat:
    """A model. `price_in` and `price_out` are for a million tokens."""

    def __init__(self, client: Client, model: str, most: int, price_in: float, price_out: float) -> None:
        self._client = client
        self._model = model
        self._most = most
        self._prices = price_in / MILLION, price_out / MILLION
        self.abilities = Abilities()

    def estimate(self, prompt: list[Message]) -> float:
        """The most that a prompt can cost: no token is shorter than a byte."""
        size = sum(len(message["content"].encode()) for message in prompt) + OVERHEAD
        return size * self._prices[0] + self._most * self._prices[1]

    def probe(self, prompt: list[Message]) -> float:
        """Test what the server supports; returns what that cost."""
        for _ in range(6):
            try:
                body, lost = self._client.count("POST", "/chat/completions", json=self._body(prompt, 0.0))
            except RefusedError as error:
                if error.status not in (400, 422, 501):
                    raise
                self.abilities = _lesser(self.abilities, error)
                continue
            choice = _choice(body, 0.0)
            logprobs = choice.get("logprobs")
            told = isinstance(logprobs, dict) and bool(logprobs.get("content"))
            self.abilities = replace(self.abilities, logprobs=self.abilities.logprobs and told)
            return self._cost(body, prompt) + lost * self.estimate(prompt)
        raise CrowdError(f"the model {self._model!r} accepts none of the request formats that Askwise knows")

    def ask(self, prompt: list[Message], temperature: float, key: str) -> Said:
        """Get one answer. `key` names the request, so that a server that supports this carries it out once."""
        headers = {"Idempotency-Key": key}
        estimate = self.estimate(prompt)
        try:
            body, lost = self._client.count(
                "POST", "/chat/completions", json=self._body(prompt, temperature), headers=headers
            )
        except PassingError as error:
            raise AnswerError(str(error), error.lost * estimate) from None
        except RefusedError as error:
            raise AnswerError(str(error), 0.0) from None
        cost = self._cost(body, prompt) + lost * estimate
        choice = _choice(body, cost)
        try:
            return Said(_shares(choice), cost)
        except (CrowdError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise AnswerError(f"{error}", cost) from None

    def _body(self, prompt: list[Message], temperature: float) -> dict[str, Any]:
        able = self.abilities
        body: dict[str, Any] = {"model": self._model, "messages": prompt, able.limit: self._most}
        if able.temperature:
            body["temperature"] = temperature
        if able.logprobs:
            body |= {"logprobs": True, "top_logprobs": 5}
        if able.schema:
            body["response_format"] = SCHEMA
        return body

    def _cost(self, body: Any, prompt: list[Message]) -> float:
        usage = body.get("usage") if isinstance(body, dict) else None
        known = usage if isinstance(usage, dict) else {}
        asked, said = known.get("prompt_tokens"), known.get("completion_tokens")
        if not (isinstance(asked, int) and isinstance(said, int) and min(asked, said) >= 0):
            return self.estimate(prompt)
        return asked * self._prices[0] + said * self._prices[1]


def _lesser(able: Abilities, error: RefusedError) -> Abilities:
    """The abilities to try after a refusal: without the one that the server names, else without the next."""
    said = error.detail
    if "response_format" in said or "json_schema" in said:
        return replace(able, schema=False)
    if "logprobs" in said:
        return replace(able, logprobs=False)
    if "max_completion_tokens" in said and able.limit == "max_tokens":
        return replace(able, limit="max_completion_tokens")
    if "temperature" in said:
        return replace(able, temperature=False)
    if able.schema:
        return replace(able, schema=False)
    if able.logprobs:
        return replace(able, logprobs=False)
    if able.temperature:
        return replace(able, temperature=False)
    raise error


def _choice(body: Any, cost: float) -> dict[str, Any]:
    """The first choice in a response."""
    try:
        choice = body["choices"][0]
        if isinstance(choice["message"], dict):
            return dict(choice)
    except (LookupError, TypeError):
        pass
    raise AnswerError("the server's answer has no choices[0].message; is this /chat/completions?", cost)


def _shares(choice: dict[str, Any]) -> Shares:
    message = choice["message"]
    if message.get("refusal"):
        raise CrowdError(f"the model refused: {str(message['refusal'])[:100]!r}")
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        cut = choice.get("finish_reason") == "length"
        raise CrowdError("the answer was cut off before it began; raise max_tokens" if cut else "the answer is empty")
    answer = answer_in(text)
    tokens = (choice.get("logprobs") or {}).get("content")
    found = shares_in(tokens) if tokens else None
    return found or {word: float(word == answer) for word in ("yes", "no", "unsure")}
