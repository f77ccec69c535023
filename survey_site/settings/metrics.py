"""Who may read the site's metrics: nobody, until a token or a network is set."""

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured

LEAST_TOKEN = 20


def metrics_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    token, wanted = values["CONCORD_METRICS_TOKEN"] or "", values["CONCORD_METRICS_NETWORKS"]
    if token and len(token) < LEAST_TOKEN:
        raise ImproperlyConfigured(f"CONCORD_METRICS_TOKEN must have at least {LEAST_TOKEN} characters.")
    for one in wanted:
        try:
            ipaddress.ip_network(one)
        except ValueError as error:
            raise ImproperlyConfigured(f"CONCORD_METRICS_NETWORKS: {error}. Write 10.0.0.0/8.") from error
    return {
        "CONCORD_METRICS_TOKEN": token,
        "CONCORD_METRICS_NETWORKS": wanted,
        "CONCORD_METRICS": bool(token or wanted),
    }


def webhook_networks(wanted: Sequence[str]) -> list[str]:
    """The private networks to which webhooks may go. Raises ImproperlyConfigured for what is no network."""
    for one in wanted:
        try:
            ipaddress.ip_network(one)
        except ValueError as error:
            raise ImproperlyConfigured(f"CONCORD_WEBHOOK_NETWORKS: {error}. Write 10.0.0.0/8.") from error
    return list(wanted)


def is_within(address: str, networks: Sequence[str]) -> bool:
    """Whether the address is of one of the networks; what is no address is of none."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(known in ipaddress.ip_network(one) for one in networks)
