"""A server on loopback that speaks the protocol of language models, as well or as badly as a test wants."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

Answer = Callable[[dict[str, str], dict[str, str]], str]
"""What the model says of two records."""

USAGE = {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}


@dataclass
class Model:
    """How the model and its server behave. `faults` are what happens to the first requests, one each."""

    answer: Answer
    logprobs: bool = True
    schema: bool = True
    usage: bool = True
    sure: float = 0.9
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    always: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    under_way: int = 0
    keys: list[str] = field(default_factory=list)

    def refused(self, body: dict[str, Any]) -> str:
        """Why the server does not take a request, if it does not."""
        if "logprobs" in body and not self.logprobs:
            return "logprobs are not supported by this model"
        if "response_format" in body and not self.schema:
            return "unknown field"
        return ""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of a good answer."""
        content = body["messages"][-1]["content"]
        try:
            pair = json.loads(content)
        except ValueError:
            pair = None
        word = "yes" if pair is None else self.answer(pair["first"], pair["second"])
        text = json.dumps({"answer": word}) if "response_format" in body else word
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        if "logprobs" in body:
            choice["logprobs"] = {"content": tokens(text, word, self.sure)}
        found: dict[str, Any] = {"id": "x", "object": "chat.completion", "choices": [choice]}
        return found | ({"usage": USAGE} if self.usage else {})


def tokens(text: str, word: str, sure: float) -> list[dict[str, Any]]:
    """The text in tokens, with alternatives where the answer begins."""
    at = text.index(word)
    parts = [text[:at], text[at : at + 2], text[at + 2 :]]
    found = []
    for part in filter(None, parts):
        token: dict[str, Any] = {"token": part, "logprob": 0.0, "bytes": None, "top_logprobs": []}
        if part is parts[1]:
            other = "no" if word == "yes" else "yes"
            alternatives = [(part, sure), (other[:2], 1.0 - sure)]
            token["logprob"] = math.log(sure)
            token["top_logprobs"] = [{"token": t, "logprob": math.log(p) if p else -9999.0} for t, p in alternatives]
        found.append(token)
    return found


async def _serve(model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await _one(model, reader, writer):
            pass
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        pass
    finally:
        writer.close()


async def _one(model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
    body = json.loads(await reader.readexactly(length))
    model.requests.append(body)
    model.keys += [line.partition(": ")[2] for line in head.split("\r\n") if line.startswith("idempotency-key")]
    trial = not body["messages"][-1]["content"].startswith("{")
    if not trial:
        pair = json.loads(body["messages"][-1]["content"])
        one, two = sorted(json.dumps(side, sort_keys=True) for side in pair.values())
        model.pairs.append((one, two))
    fault = "" if trial else model.always or (model.faults.pop(0) if model.faults else "")
    model.under_way += 1
    model.most_at_once = max(model.most_at_once, model.under_way)
    await asyncio.sleep(30.0 if fault == "slow" else model.seconds)
    model.under_way -= 1
    if fault == "close":
        return False
    if model.refused(body):
        return await _send(writer, "400 Bad Request", {"error": {"message": model.refused(body)}})
    if fault.isdigit():
        return await _send(writer, f"{fault} Trouble", {"error": {"message": "too much"}}, "retry-after: 0.05\r\n")
    answer = model.reply(body)
    if fault == "refusal":
        answer["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I would rather not."}
    if fault == "nonsense":
        answer["choices"][0] = {"message": {"role": "assistant", "content": "Perhaps. It depends."}}
    raw = json.dumps(answer).encode()
    if fault == "malformed":
        raw = raw[: len(raw) // 2]
    if fault == "truncated":
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(raw) + raw[: len(raw) // 2])
        await writer.drain()
        return False
    return await _send(writer, "200 OK", raw)


async def _send(writer: asyncio.StreamWriter, status: str, body: Any, more: str = "") -> bool:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {len(raw)}\r\n\r\n"
    writer.write(head.encode() + raw)
    await writer.drain()
    return True


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Serve a model; the address up to /chat/completions."""
    loop = asyncio.new_event_loop()
    address: SimpleQueue[str] = SimpleQueue()
    stop = asyncio.Event()

    async def live() -> None:
        server = await asyncio.start_server(lambda r, w: _serve(model, r, w), "127.0.0.1", 0)
        address.put(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        await stop.wait()
        server.close()
        others = [task for task in asyncio.all_tasks(loop) if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: (loop.run_until_complete(live()), loop.close()), daemon=True)
    thread.start()
    try:
        yield address.get(timeout=10)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
