"""Models whose weights are on this machine, or on the hub: answered in this process, one request at a time.

One at a time, so that what a reply says never depends on which others were asked with it. For thousands of
questions serve the model and use `http`.
"""

from collections.abc import Sequence

from meta_eval.llm.limits import Sends
from meta_eval.llm.models import CUT_OFF, Model, ModelOptions, Reply, RequestFailedError, request_key
from meta_eval.llm.questions import Message, Request
from meta_eval.llm.weighing import find_value, kept_options


class LocalModel(Model):
    """A causal language model of transformers.

    Its `revision` is the commit or the hash of the folder, with the number type and the tokens that end a
    reply, which neither of them says: a reply in bfloat16 on a GPU is not that in float32 on a CPU.
    """

    concurrent = 1
    place = None

    def __init__(self, options: ModelOptions) -> None:
        from dataclasses import replace

        from meta_eval.kernels.generate import Generator
        from meta_eval.kernels.models import find_model

        folder = find_model(options.model, options.revision)
        self._generator: Generator = Generator(options.model, folder, options.device)
        self.options = replace(options, revision=f"{folder.revision}+{self._generator.setting}")

    @property
    def counting(self) -> str:
        return "counted by the model's own tokenizer"

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return len(self._generator.encode([message.as_dict() for message in messages]))

    def close(self) -> None:
        """Nothing is open."""

    def answer(self, request: Request, sends: Sends | None = None) -> Reply:
        """The reply: greedy at temperature 0, else drawn by a seed of its own for each request."""
        prompt = self._generator.encode([message.as_dict() for message in request.messages])
        most = self._generator.max_length
        if most is not None and len(prompt) + request.max_tokens > most:
            length = f"{len(prompt):,} tokens and {request.max_tokens:,} for the answer"
            raise RequestFailedError("prompt too long", f"{length}: the model takes {most:,}")
        if sends:
            sends.begin()
        options = self.options
        tokens, ended = self._generator.generate(
            prompt,
            request.max_tokens,
            temperature=options.temperature,
            top_p=options.top_p,
            top_k=options.top_k,
            seed=self._seed(request),
        )
        text = self._generator.decode(tokens)
        top = self._weigh(prompt, request, text) if options.probabilities else None
        return Reply(text, "stop" if ended else CUT_OFF, len(prompt), len(tokens), top=top)

    def _weigh(self, prompt: Sequence[int], request: Request, text: str) -> str | None:
        """The log-probability of every value, each as a whole, in the place of the one that was written."""
        span = find_value(request.form, text)
        if span is None or span.end == len(text):
            return None  # without what ends a value, 1 would stand for 10 as well
        before, after = text[: span.start], text[span.end : span.end + 1]
        scores = self._generator.score_options(prompt, [f"{before}{one}{after}" for one in span.options])
        return kept_options(dict(zip(span.options, scores, strict=True)))

    def _seed(self, request: Request) -> int:
        """From the model's seed and all of the request, so that draws depend on nothing else."""
        return int(request_key(self.options, request)[:15], 16)
