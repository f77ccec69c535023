"""All on which a model's answers depend, as one signature: whoever asks signs in the same way."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Request
from meta_eval.measures.base import OptionValue, Signature


def asked_signature(
    measure: str,
    options: ModelOptions,
    prompt: Prompt,
    *,
    requests: Sequence[Request],
    attempts: int,
    more: Mapping[str, OptionValue],
) -> Signature:
    """The signature of what was asked: a changed word of the prompt changes it.

    So does the form of the answers, with the words that ask for it and for another, and their length.

    Parameters
    ----------
    measure : str
        What was asked for.
    options, prompt, requests, attempts
        The model as it was set, the template, all requests, and the replies until one could be read.
    more : mapping
        What else the answers depend on, by name.

    Returns
    -------
    Signature

    Examples
    --------
    >>> from meta_eval.llm.models import parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> options, prompt = parse_model("replay:model=m"), load_prompt("judge-pairs")
    >>> more = {"scale": "similarity"}
    >>> made = asked_signature("judge", options, prompt, requests=[], attempts=2, more=more)
    >>> made.measure, dict(made.options)["attempts"]
    ('judge', 2)
    """
    return model_signature(
        measure,
        options,
        {
            "attempts": attempts,
            "draws": 1 + max((request.sample for request in requests), default=0),
            "form_digest": forms_digest(requests),
            "max_tokens": max((request.max_tokens for request in requests), default=0),
            "prompt": f"{prompt.name}-{prompt.version}",
            "prompt_digest": prompt.digest[:16],
            **more,
        },
    )


def model_signature(measure: str, options: ModelOptions, told: Mapping[str, OptionValue | None]) -> Signature:
    """The signature of what a model was asked for, with what else it depends on by name; None is left out."""
    given = {name: value for name, value in told.items() if value is not None}
    return Signature(
        measure,
        {**_drawing_options(options), **given},
        model=options.model,
        revision=options.revision,
        seed=options.seed,
    )


def _drawing_options(options: ModelOptions) -> dict[str, OptionValue]:
    """How a model draws its replies, for a signature that names model, revision and seed by themselves."""
    own = ("model", "revision", "seed")
    return {name: value for name, value in options.shape.items() if name not in own and value is not None}


def forms_digest(requests: Iterable[Request]) -> str:
    """Of the forms that are asked for, and the words that ask for them and for another reply."""
    forms = {request.form for request in requests}
    return digest_of(sorted(digest_of([form.record, form.instructions, form.repair]) for form in forms))


def digest_of(value: Any) -> str:
    """The first 16 digits of the SHA-256 of a value as JSON.

    Parameters
    ----------
    value : what JSON can hold; the order of names does not count

    Returns
    -------
    str

    Examples
    --------
    >>> digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
