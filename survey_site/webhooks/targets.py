"""To which addresses webhooks go: never to the site's own network, unless the operator names it.

A name is resolved once, for the request itself, and the connection goes to the very address that was looked
at: a name that means something else a moment later (DNS rebinding) leads nowhere.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings

from survey_site.common.errors import InvalidInputError

Address = IPv4Address | IPv6Address
_NAT64 = ip_network("64:ff9b::/96")
_SITE_LOCAL = ip_network("fec0::/10")


class ForbiddenTargetError(Exception):
    """The address is one that webhooks do not go to; the text says which and why."""


def check_address(address: str) -> str:
    """The address as it is kept. Raises InvalidInputError for one to which nothing could ever be sent."""
    address = address.strip()
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise _invalid("This is no address.") from None
    if parts.scheme not in ("https", "http") or not host:
        raise _invalid("This is no address of the web.")
    if parts.scheme == "http" and not settings.CONCORD_WEBHOOK_HTTP:
        raise _invalid("Webhooks are sent by https alone.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise _invalid("An address of a webhook has no user name, password or fragment.")
    if not address.isascii() or any(letter <= " " for letter in address):
        raise _invalid("An address has no blanks and only letters of ASCII; write others percent-encoded.")
    _check_literal(host)
    return address


def site_of(address: str) -> str:
    """Scheme, host and port alone: paths and queries of webhooks often are secrets."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def resolve(host: str, port: int) -> list[str]:
    """The addresses that the name stands for now. Raises ForbiddenTargetError if any of them is none of ours
    to reach, and OSError where the name stands for nothing.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    for one in addresses:
        if not may_reach(one):
            raise ForbiddenTargetError(f"{host} is {one}, an address inside a private network.")
    return addresses


def may_reach(address: str) -> bool:
    """Whether it is a public address, or of a network that the operator allows."""
    known = ip_address(address.partition("%")[0])
    return all(_is_public(one) or _is_allowed(one) for one in (known, *_embedded(known)))


def _is_public(address: Address) -> bool:
    special = address.is_multicast or address.is_reserved or address in _SITE_LOCAL
    if isinstance(address, IPv6Address) and address in _NAT64:
        special = False  # what it stands for is looked at by itself
    return address.is_global and not special


def _is_allowed(address: Address) -> bool:
    return any(address in ip_network(one) for one in settings.CONCORD_WEBHOOK_NETWORKS)


def _embedded(address: Address) -> list[Address]:
    """The IPv4 addresses that an IPv6 address stands for, by any of the ways to write one in the other."""
    if isinstance(address, IPv4Address):
        return []
    found: list[Address] = [one for one in (address.ipv4_mapped, address.sixtofour) if one]
    found += address.teredo or ()
    if address in _NAT64:
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return found


def _check_literal(host: str) -> None:
    """A number in place of a name can be judged at once; a name is judged each time that it is used."""
    try:
        ip_address(host)
    except ValueError:
        return
    if not may_reach(host):
        raise _invalid(f"{host} is an address inside a private network.")


def _invalid(words: str) -> InvalidInputError:
    return InvalidInputError(
        words,
        action="Give the public https address of your program, such as https://example.org/concord.",
        fields={"address": [words]},
    )
