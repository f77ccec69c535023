"""Settings of the language models that may rate batches: all or none, checked when the site starts."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

QUEUE = "llm"
"""Of the background tasks that wait for a model; a worker of its own may serve it."""
MOST_CONCURRENT = 256


def llm_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the site knows of its models; both lists are empty where none is configured.

    The key is in no setting: the library reads it from the environment when it asks.
    """
    url, models = values["CONCORD_LLM_URL"].rstrip("/"), values["CONCORD_LLM_MODEL"]
    if bool(url) != bool(models):
        missing = "CONCORD_LLM_MODEL" if url else "CONCORD_LLM_URL"
        raise ImproperlyConfigured(
            f"A language model needs an address and a name: set {missing}, too, or neither."
        )
    if url:
        _check_url(url)
    if len(set(models)) < len(models):
        raise ImproperlyConfigured("CONCORD_LLM_MODEL names a model twice: leave one out.")
    if not 1 <= values["CONCORD_LLM_CONCURRENT"] <= MOST_CONCURRENT:
        raise ImproperlyConfigured(f"CONCORD_LLM_CONCURRENT must be from 1 to {MOST_CONCURRENT}.")
    prices = {name: values[name] for name in ("CONCORD_LLM_PRICE_IN", "CONCORD_LLM_PRICE_OUT")}
    for name, price in prices.items():
        if price is not None and not 0 <= price < float("inf"):
            raise ImproperlyConfigured(f"{name} must be a price: a number from 0.")
    return {
        "CONCORD_LLM_URL": url,
        "CONCORD_LLM_MODELS": models,
        "CONCORD_LLM_CONCURRENT": values["CONCORD_LLM_CONCURRENT"],
        "CONCORD_LLM_TOKENS_PER_RUN": values["CONCORD_LLM_TOKENS_PER_RUN"],
        **prices,
    }


def _check_url(url: str) -> None:
    """No message has the address: it may hold a key."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - read only to be checked
    except ValueError as error:
        raise ImproperlyConfigured("CONCORD_LLM_URL is no address: host or port cannot be read.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured("CONCORD_LLM_URL must begin with http:// or https:// and a host.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "CONCORD_LLM_URL must hold neither user nor query: a key goes into CONCORD_LLM_KEY."
        )
