"""Models behind any server that speaks OpenAI's `/chat/completions`: vLLM, llama.cpp, Ollama, hosted ones.

The key is read from the environment alone, sent in one header, and cut out of whatever a server says.
"""

import json
import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from meta_eval.llm.completions import WRONG, completion_reply, require_text
from meta_eval.llm.counting import SERVER, CountError, server_counter, token_counter
from meta_eval.llm.limits import Sends, StoppedError
from meta_eval.llm.models import (
    Model,
    ModelError,
    ModelOptions,
    Reply,
    RequestFailedError,
)
from meta_eval.llm.questions import Message, Request
from meta_eval.llm.weighing import MOST_LIKELY

try:
    import httpx2
except ImportError as missing:
    raise ModelError("Models behind a server need httpx2: run `pip install httpx2`.") from missing

KEY_VARIABLE = "CONCORD_LLM_KEY"
FIRST_WAIT, LONGEST_WAIT, LONGEST_RETRY_AFTER = 0.5, 8.0, 120.0
"""Seconds: the wait after the first failure, doubled after each, up to the second; what a server may ask."""

_RETRIED = frozenset({408, 409, 429})
_TOO_LONG = (
    "context length",
    "context_length",
    "maximum context",
    "context size",
    "too long",
    "max_model_len",
)
_UNCOUNTED = (
    "name the folder of the tokenizer (tokenizer=FOLDER), or leave tokenizer out and tokens are estimated."
)
_FORMATS = ("response_format", "json_schema", "json_object", "grammar", "guided")
_SHOWN = 500


class HttpModel(Model):
    """A served model. Threads share it; `sleep` and `jitter` (0 to 1) are those of its retries."""

    def __init__(
        self,
        options: ModelOptions,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.options = options
        self.concurrent = options.concurrent
        self._url = _checked_url(options.url)
        self._key = _checked_key(os.environ.get(KEY_VARIABLE, "").strip())
        self._sleep = sleep
        self._jitter = jitter
        self._formats = {"auto": ["schema", "object", "none"]}.get(options.structured, [options.structured])
        self._lock = threading.Lock()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limits = httpx2.Limits(max_connections=options.concurrent)
        self._client = httpx2.Client(timeout=options.timeout, limits=limits, headers=headers)
        self._count, self._counting = token_counter(options.tokenizer)
        self._asks_counts = options.tokenizer == SERVER

    @property
    def place(self) -> str:
        return self._url

    @property
    def counting(self) -> str:
        return f"counted by {self._url}" if self.options.tokenizer == SERVER else self._counting

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Raises `ModelError` where the server is to count and cannot: nothing is half estimated."""
        with self._lock:
            if self._asks_counts:
                self._count, self._asks_counts = self._server_counter(), False
        try:
            return self._count(messages)
        except CountError as error:
            raise ModelError(f"{self._url} counted no tokens of a prompt: {error}; {_UNCOUNTED}") from error

    def _server_counter(self) -> Callable[[Sequence[Message]], int]:
        counter = server_counter(self._post_beside, self.options.model)
        if counter is None:
            raise ModelError(
                f"{self._url} counts no tokens: it has no /tokenize that takes messages; {_UNCOUNTED}"
            )
        return counter

    def _post_beside(self, path: str, body: Mapping[str, Any]) -> Any:
        """What an address beside `/v1` answers, after as many retries as a question has.

        Raises `CountError` where it takes no such thing, `StoppedError` where the server or the network
        fails: the same call may succeed later, and what was answered is kept.
        """
        where, failures = f"{self._url.removesuffix('/v1')}{path}", 0
        while True:
            response, problem = self._post(where, body)
            if response is not None and response.status_code == 200:
                try:
                    return json.loads(response.content)
                except (ValueError, RecursionError) as error:
                    raise CountError("it answered with no JSON") from error
            if response is not None and not _is_retried(response.status_code):
                raise CountError(f"it answered {response.status_code}: {self._said(response)}")
            failures += 1
            if failures > self.options.retries:
                raise StoppedError(
                    f"The tokens of a prompt could not be counted: {problem} ({failures} attempts). What was "
                    "answered is kept where a store is named: call again to go on, or leave tokenizer out."
                )
            self._sleep(self._wait(failures, response))

    def close(self) -> None:
        """Ends the connections."""
        self._client.close()

    def answer(self, request: Request, sends: Sends | None = None) -> Reply:
        """The reply, after as many retries as are allowed where the server or the network failed."""
        failures, structured = 0, self._structured()
        while True:
            if sends:
                sends.begin()
            response, problem = self._send(self.body(request, structured))
            if response is not None and response.status_code == 200:
                reply, problem = self._read(response)
                if reply is not None:
                    return reply
            turned_away = response is not None and response.status_code != 200
            if sends:
                (sends.refused if turned_away else sends.lost)()
            if turned_away and self._step_down(response, structured):
                structured = self._structured()
                continue
            if turned_away and not _is_retried(response.status_code):
                raise self._refusal(response)
            failures += 1
            if failures > self.options.retries:
                raise RequestFailedError("failed", f"{problem} ({failures} attempts)")
            self._sleep(self._wait(failures, response))

    def body(self, request: Request, structured: str) -> dict[str, Any]:
        """What is sent: nothing but the messages and how they are to be answered."""
        options = self.options
        body: dict[str, Any] = {
            "model": options.model,
            "messages": [message.as_dict() for message in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": options.temperature,
            "top_p": options.top_p,
            "seed": options.seed + request.sample,
        }
        if options.top_k is not None:
            body["top_k"] = options.top_k
        if options.probabilities and request.form.schema is not None:
            body |= {"logprobs": True, "top_logprobs": MOST_LIKELY}
        if request.form.schema is not None and structured == "object":
            body["response_format"] = {"type": "json_object"}
        elif request.form.schema is not None and structured == "schema":
            schema = {"name": "answer", "strict": True, "schema": request.form.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _send(self, body: Mapping[str, Any]) -> tuple[Any, str]:
        """The response if there is one, and in words what went wrong if that is not a reply."""
        return self._post(f"{self._url}/chat/completions", body)

    def _post(self, where: str, body: Mapping[str, Any]) -> tuple[Any, str]:
        try:
            response = self._client.post(where, json=body)
        except httpx2.TimeoutException:
            return None, f"{self._url} did not answer within {self.options.timeout:g} seconds"
        except httpx2.HTTPError as error:
            return None, self._clean(f"{self._url}: {type(error).__name__}: {error}")
        return response, f"{self._url} answered {response.status_code}: {self._said(response)}"

    def _read(self, response: Any) -> tuple[Reply | None, str]:
        """The reply in a response, or what is wrong with that."""
        try:
            reply = completion_reply(json.loads(response.content))
        except WRONG:
            return None, f"{self._url} answered with something that is no chat completion"
        text = self._clean(reply.text)
        # Where the text held the key, its tokens hold pieces of it.
        return replace(reply, text=text, top=reply.top if text == reply.text else None), ""

    def _structured(self) -> str:
        with self._lock:
            return self._formats[0]

    def _step_down(self, response: Any, tried: str) -> bool:
        """Whether to ask again with less structure: the server does not take `response_format` as it was.

        The server of llama-cpp-python says so with status 500, as if it were broken.
        """
        if (
            response.status_code not in {400, 422, 500}
            or tried == "none"
            or self.options.structured != "auto"
        ):
            return False
        said = self._said(response).lower()
        if not any(name in said for name in _FORMATS):
            return False
        with self._lock:
            if self._formats[0] == tried:
                self._formats.pop(0)
        return True

    def _refusal(self, response: Any) -> Exception:
        """A prompt that is too long is one question's fault; any other refusal would meet all of them."""
        said = self._said(response)
        if response.status_code in {400, 413, 422} and any(name in said.lower() for name in _TOO_LONG):
            return RequestFailedError("prompt too long", said)
        hint = f" Set {KEY_VARIABLE}." if response.status_code == 401 and not self._key else ""
        return ModelError(
            f"{self._url} refused model {self.options.model!r}: {response.status_code} {said}.{hint}"
        )

    def _wait(self, failures: int, response: Any) -> float:
        asked = _seconds(None if response is None else response.headers.get("Retry-After"))
        if asked is not None:
            return min(asked, LONGEST_RETRY_AFTER)
        wait: float = min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT)
        return wait * (1 - 0.25 * self._jitter())

    def _said(self, response: Any) -> str:
        """The beginning of what a server says is wrong, cut only where no piece of the key can be left."""
        return self._clean(_message(response))[:_SHOWN]

    def _clean(self, text: str) -> str:
        """Without the key, which some servers repeat, as it stands or as quoted text; else as replies are."""
        text = require_text(text)
        for key in filter(None, (self._key, repr(self._key)[1:-1], json.dumps(self._key)[1:-1])):
            text = text.replace(key, "***")
        return text


def _checked_key(key: str) -> str:
    """The key; one that no header can hold is refused unseen, since a client's error would show it."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError(
            f"{KEY_VARIABLE} in the environment holds a blank, a line end or a letter that is not ASCII, "
            "as no key does: set it again to one key alone."
        )
    return key


def _checked_url(url: str) -> str:
    """The base address; one with a user or a query is refused unseen, since it may hold a key."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - read only to be checked
    except ValueError as error:
        raise ModelError("url of a model is no address: its host or its port cannot be read.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelError("url of a model must begin with http:// or https:// and a host.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ModelError(
            "url of a model must hold neither user nor query: give a key as "
            f"{KEY_VARIABLE} in the environment."
        )
    return url.rstrip("/")


def _is_retried(status: int) -> bool:
    return status in _RETRIED or status >= 500


def _message(response: Any) -> str:
    """What a server says is wrong: its error's message, else what it sent."""
    try:
        found = json.loads(response.content)
        error = found.get("error", found)
        said = error if isinstance(error, str) else error.get("message") or error.get("detail") or str(error)
    except (ValueError, AttributeError, RecursionError):
        said = response.text
    return " ".join(str(said).split())


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
