"""Where webhooks may go: a table of addresses, and names that stand for them."""

import socket

import pytest

from survey_site.common.errors import InvalidInputError
from survey_site.webhooks import sending, targets
from survey_site.webhooks.sending import post
from survey_site.webhooks.targets import check_address, may_reach

PRIVATE = (
    *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("0.0.0.0", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),  # noqa: S104
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("2002:7f00:1::", "2002:a00:1::1", "64:ff9b:1::1", "100::1", "::127.0.0.1"),
)
REFUSED = (
    *("http://example.org/", "ftp://example.org/", "https://", "https:///path", "example.org"),
    *("https://user:word@example.org/", "https://user@example.org/", "https://example.org/#part"),
    *("https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/"),
    *("https://example.org:99999/", "https://exa mple.org/", "https://exämple.org/", "https://[::1"),
)
PUBLIC = ("93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::808:808")


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_inside_are_out_of_reach(address):
    assert not may_reach(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_in_reach(address):
    assert may_reach(address)


def test_the_operator_opens_one_network_and_no_other(settings):
    settings.CONCORD_WEBHOOK_NETWORKS = ["10.1.0.0/16"]
    found = [may_reach(one) for one in ("10.1.2.3", "10.2.2.3", "127.0.0.1", "169.254.169.254")]
    assert found == [True, False, False, False]
    assert not may_reach("::ffff:10.2.0.1")


@pytest.mark.parametrize("address", REFUSED)
def test_addresses_that_are_refused_when_they_are_given(address):
    with pytest.raises(InvalidInputError):
        check_address(address)


def test_an_address_is_kept_as_it_was_given():
    assert check_address(" https://example.org:8443/a?b=c ") == "https://example.org:8443/a?b=c"


def named(*addresses):
    def resolver(_host, port, **_options):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    return resolver


@pytest.fixture
def connections(monkeypatch):
    """To where connections are opened; none is."""
    opened = []

    def connect(address, *_rest, **_options):
        opened.append(address)
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(socket, "create_connection", connect)
    return opened


@pytest.mark.parametrize("address", PRIVATE)
def test_no_connection_is_opened_for_a_name_that_leads_inside(monkeypatch, connections, address):
    monkeypatch.setattr(targets.socket, "getaddrinfo", named(address))
    outcome = post("https://inside.example.org/", b"{}", {})
    assert (outcome.status, connections) == (None, [])
    assert outcome.fault == f"Not sent: inside.example.org is {address}, an address inside a private network."


def test_one_address_inside_is_enough_to_send_nothing(monkeypatch, connections):
    monkeypatch.setattr(targets.socket, "getaddrinfo", named("8.8.8.8", "10.0.0.1"))
    assert post("https://mixed.example.org/", b"{}", {}).fault.startswith("Not sent:")
    assert connections == []


def test_the_connection_goes_to_the_address_that_was_looked_at(monkeypatch, connections):
    asked = [named("127.0.0.1"), named("8.8.8.8")]

    def rebinding(*place, **how):
        return asked.pop()(*place, **how)

    monkeypatch.setattr(targets.socket, "getaddrinfo", rebinding)
    outcome = post("https://rebinding.example.org:444/", b"{}", {})
    assert (outcome.fault, connections) == ("ConnectError: nobody listens", [("8.8.8.8", 444)])


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "localhost"])
def test_other_ways_to_write_loopback_lead_nowhere(connections, host):
    outcome = post(f"https://{host}/", b"{}", {})
    assert (outcome.status, connections) == (None, [])
    assert outcome.fault.startswith("Not sent:")


def test_a_name_that_stands_for_nothing_is_told(monkeypatch):
    def unknown(*_args, **_options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(targets.socket, "getaddrinfo", unknown)
    outcome = post("https://nowhere.example.org/", b"{}", {})
    assert (outcome.status, outcome.fault) == (None, "gaierror: [Errno -2] Name or service not known")


@pytest.mark.parametrize("host", ["example.org", "[2606:4700::1111]"])
def test_the_host_is_named_as_in_the_address(receiver, monkeypatch, host):
    monkeypatch.setattr(sending, "resolve", lambda _host, _port: ["127.0.0.1"])
    assert post(f"http://{host}:{receiver.port}/", b"{}", {}).status == 204
    assert [headers["host"] for headers, _ in receiver.came] == [f"{host}:{receiver.port}"]


def test_nothing_goes_without_tls_once_the_operator_takes_that_back(receiver, settings):
    settings.CONCORD_WEBHOOK_HTTP = False
    assert post(receiver.address, b"{}", {}).fault == "Not sent: Webhooks are sent by https alone."
    assert receiver.came == []


def test_what_nobody_foresaw_is_an_attempt_that_failed(receiver, monkeypatch):
    def fail(*_args):
        raise ValueError("unforeseen")

    monkeypatch.setattr(sending, "resolve", fail)
    outcome = post(receiver.address, b"{}", {})
    assert (outcome.status, outcome.fault) == (None, "ValueError: unforeseen")


def test_the_time_is_for_all_of_a_request(receiver, monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", -1.0)
    outcome = post(receiver.address, b"{}", {})
    assert (outcome.status, outcome.fault) == (None, "No whole answer within -1 seconds.")
    assert receiver.came == []
