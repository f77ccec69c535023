"""The scripts' browser: what it sends, what it reads, and lines that break."""

import re
import socket
from threading import Thread
from urllib.parse import parse_qs

import pytest

from survey_site.rehearsal.browser import Browser, HangUp, NoAnswer
from survey_site.rehearsal.pages import PageForm, find_form, read_forms

PAGE = """
<form action="/elsewhere/"><input name="q" value="1"></form>
<form method="post" action="/s/t/q/c/" data-rate-url="/s/t/q/c/rate/">
  <input type="hidden" name="csrfmiddlewaretoken" value="abc">
  <input type="radio" name="rating-x" value="1"><input type="radio" name="rating-x" value="2" checked>
  <input type="radio" name="rating-y" value="1"><input type="radio" name="rating-y" value="2">
  <button>Submit</button>
</form>
<input name="outside" value="no">
"""


def is_whole(request):
    """A server that answers and closes with some of the request unread would cut its own answer off."""
    head, _, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"Content-Length: (\d+)", head)
    return b"\r\n\r\n" in request and len(body) >= (int(length[1]) if length else 0)


@pytest.fixture
def listener():
    """A server of one connection: gives its address, and then all that arrived until the line was closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        received = []

        def serve(answer):
            connection, _ = server.accept()
            with connection:
                data = b""
                while chunk := connection.recv(65536):
                    data += chunk
                    if answer and is_whole(data):
                        connection.sendall(answer)
                        break
                received.append(data)

        def start(answer=b""):
            thread = Thread(target=serve, args=[answer])
            thread.start()

            def finish():
                thread.join(60)
                return received[0]

            return f"http://127.0.0.1:{server.getsockname()[1]}", finish

        yield start


def test_the_forms_of_a_page_are_read_as_a_browser_sends_them():
    assert read_forms(PAGE) == [
        PageForm("/elsewhere/", "", {"q": "1"}),
        PageForm(
            "/s/t/q/c/",
            "/s/t/q/c/rate/",
            {"csrfmiddlewaretoken": "abc"},
            choices={"rating-x": "2", "rating-y": None},
        ),
    ]
    form = find_form(PAGE, "q/c/")
    assert form is not None
    assert form.values == {"x": 2, "y": None}
    assert find_form(PAGE, "start/") is None


@pytest.mark.parametrize(("hang_up", "arrives"), [(HangUp.HALF_SENT, 0.5), (HangUp.UNANSWERED, 1.0)])
def test_a_line_that_breaks(listener, hang_up, arrives):
    address, finish = listener()
    with pytest.raises(NoAnswer):
        Browser(address).post("/rate/", {"item": "abcd", "value": 3}, hang_up=hang_up)
    head, body = finish().split(b"\r\n\r\n")
    assert b"Content-Length: 17\r\n" in head + b"\r\n"
    assert body == b"item=abcd&value=3"[: int(17 * arrives)]


def test_an_answer_and_its_cookies(listener):
    answer = (
        b"HTTP/1.1 302 Found\r\nLocation: /next/\r\nContent-Length: 4\r\n"
        b"Set-Cookie: rater=one:two; Path=/s/\r\nSet-Cookie: csrftoken=abc\r\n\r\nover"
    )
    address, finish = listener(answer)
    browser = Browser(address)
    browser.cookies["old"] = "kept"
    reply = browser.post("/start/", {"name": "a b"})
    assert (reply.status, reply.location, reply.body) == (302, "/next/", "over")
    assert browser.cookies == {"old": "kept", "rater": "one:two", "csrftoken": "abc"}
    sent = finish()
    assert b"Cookie: old=kept\r\n" in sent
    assert parse_qs(sent.decode().split("\r\n\r\n")[1]) == {"name": ["a b"]}


def test_no_server_is_no_answer():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # held, so that nobody else listens there
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NoAnswer, match="ConnectionRefusedError"):
            Browser(address).get("/")


def test_a_server_that_closes_without_a_word_is_no_answer(listener):
    address, _ = listener(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")
    with pytest.raises(NoAnswer, match="IncompleteRead"):
        Browser(address).get("/")
