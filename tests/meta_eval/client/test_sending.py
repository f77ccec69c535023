"""What the client does where the site, or the way to it, fails: nothing is made twice, nothing is hidden."""

import json
import socket
from datetime import datetime

import httpx2
import pandas
import pytest

from meta_eval.client import (
    ChangedError,
    ClientError,
    Concord,
    InvalidError,
    ProblemError,
    TokenError,
    UnreachableError,
)
from meta_eval.client.corpora import Corpora
from meta_eval.client.wishes import sendable

MOMENT = "2026-01-02T03:04:05Z"
CORPUS = {
    **{
        "id": 7,
        "name": "News",
        "project": 1,
        "content_hash": "h",
        "source": "s",
        "language": "en",
        "documents": 1,
    },
    **{"readers": 2, "systems": 1, "references": 2, "created_at": MOMENT, "archived_at": None},
    **{"languages": ["en"], "languages_told": [], "by_system": [], "documents_without_text": 0},
    "remarks": [],
}
ROW = dict(list(CORPUS.items())[:12])
EXCLUSION = {"id": 3, "rater": "r1", "questionnaire": None, "reason": "asleep", "excluded_at": MOMENT}


class Script:
    """A site that answers as it is told, in turn; an exception stands for a connection that is lost."""

    def __init__(self, *plays):
        self.plays, self.requests, self.bodies, self.waits = list(plays), [], [], []

    def __call__(self, request):
        self.requests.append(request)
        self.bodies.append(request.read())
        play = self.plays.pop(0)
        if isinstance(play, Exception):
            raise play
        return play

    def concord(self, **options):
        transport = httpx2.MockTransport(self)
        return Concord(
            "https://a.example/api/v1/",
            "concord_secret",
            transport=transport,
            sleep=self.waits.append,
            jitter=lambda: 0.0,
            **options,
        )


def said(body, status=200, **headers):
    return httpx2.Response(status, json=body, headers=headers)


def refused(status, *, action="Do so.", errors=(), **headers):
    body = {"type": "t", "title": "No", "status": status, "detail": "It is wrong.", "action": action}
    return said(
        {**body, "errors": list(errors)}, status, **{"Content-Type": "application/problem+json", **headers}
    )


def test_what_is_lost_is_sent_again_with_its_key_and_its_body(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    site = Script(httpx2.ReadError("gone"), httpx2.ReadTimeout("slow"), said(CORPUS, 201))
    assert site.concord().corpora.import_corpus(path).id == 7
    keys = [one.headers["Idempotency-Key"] for one in site.requests]
    assert (len(keys), len(set(keys))) == (3, 1)
    assert site.bodies == [b'{"a": 1}\n'] * 3
    assert site.waits == [0.5, 1.0]


def test_two_calls_have_two_keys_and_a_key_of_ones_own_is_sent():
    site = Script(*[said(CORPUS, 201)] * 3)
    frame, concord = pandas.DataFrame({"doc_id": ["d"]}), site.concord()
    for key in (None, None, "mine"):
        concord.corpora.import_corpus(frame, name="News", key=key)
    first, second, third = (one.headers["Idempotency-Key"] for one in site.requests)
    assert (first != second, third) == (True, "mine")
    sent = site.requests[0]
    assert (sent.headers["Content-Type"], sent.headers["Content-Length"]) == ("text/csv", "9")
    assert dict(sent.url.params) == {"name": "News", "file": "News.csv"}
    assert sent.url.path == "/api/v1/corpora/"
    assert sent.headers["Authorization"] == "Bearer concord_secret"


@pytest.mark.parametrize(("asked", "waited"), [("7", 7.0), ("9999", 120.0), ("soon", 0.5), (None, 0.5)])
def test_the_site_says_how_long_to_wait(asked, waited):
    headers = {} if asked is None else {"Retry-After": asked}
    site = Script(refused(429, **headers), refused(503, **headers), said(CORPUS))
    site.concord().corpora.get(7)
    assert site.waits == [waited, waited if asked in {"7", "9999"} else 1.0]


def test_retries_end_with_what_was_wrong_last():
    site = Script(*[refused(503)] * 3)
    with pytest.raises(ProblemError, match="503: It is wrong"):
        site.concord(retries=2).corpora.get(7)
    lost = Script(*[httpx2.ConnectError("refused")] * 2)
    with pytest.raises(UnreachableError, match=r"https://a.example cannot be reached: ConnectError"):
        lost.concord(retries=1).corpora.get(7)
    assert (len(site.waits), len(lost.waits)) == (2, 1)


@pytest.mark.parametrize(
    ("number", "tries"), [(socket.EAI_NONAME, 1), (socket.EAI_NODATA, 1), (socket.EAI_AGAIN, 3)]
)
def test_a_host_that_nobody_knows_is_asked_for_once(number, tries):
    unknown = httpx2.ConnectError("no name")
    unknown.__cause__ = OSError("mapped")
    unknown.__cause__.__context__ = socket.gaierror(number, "no name")
    site = Script(*[unknown] * tries)
    with pytest.raises(UnreachableError, match="ConnectError: no name") as caught:
        site.concord(retries=2).corpora.get(7)
    assert (len(site.requests), len(site.waits)) == (tries, tries - 1)
    assert ("No machine has this name." in str(caught.value)) == (tries == 1)


def test_what_is_done_only_to_what_is_unchanged_is_not_sent_again_once_it_may_be_done():
    """The site would answer that it has changed, though it was this call that changed it."""
    for fault in (httpx2.ReadError("gone"), refused(502)):
        site = Script(fault)
        with pytest.raises((UnreachableError, ProblemError)):
            batch_of(site).pause(only_if_unchanged=True)
        assert site.requests[-1].headers["If-Match"] == '"seen"'
    site = Script(httpx2.ConnectError("refused"), refused(503), refused(412))
    with pytest.raises(ChangedError):
        batch_of(site).pause(only_if_unchanged=True)
    assert len(site.waits) == 2


def batch_of(site):
    """A batch that was read with a tag, without asking the site of the script."""
    from meta_eval.client.batches import Batch

    made = object.__new__(Batch)
    object.__setattr__(made, "id", 5)
    made.bind(site.concord()._site, '"seen"')
    return made


def test_a_deletion_whose_answer_was_lost_is_done():
    site = Script(httpx2.ReadError("gone"), refused(404))
    batch_of(site).undo_exclusion(3)
    batch_of(Script(httpx2.ReadError("gone"), refused(404))).delete()
    with pytest.raises(ProblemError, match="404"):
        batch_of(Script(refused(404))).undo_exclusion(3)


def test_a_problem_says_what_is_wrong_where_and_what_to_do():
    errors = [{"field": "mine.jsonl:2", "detail": "No text."}, {"field": "", "detail": "And so on."}]
    site = Script(refused(422, errors=errors))
    with pytest.raises(InvalidError) as caught:
        site.concord().corpora.get(7)
    assert str(caught.value) == (
        "422: It is wrong.\n  mine.jsonl:2: No text.\n  And so on.\nWhat to do: Do so."
    )
    assert [(one.field, one.detail) for one in caught.value.errors] == [
        ("mine.jsonl:2", "No text."),
        ("", "And so on."),
    ]
    assert (caught.value.status, caught.value.action) == (422, "Do so.")


def test_what_is_no_problem_document_is_told_in_short():
    page = httpx2.Response(500, html="<style>h1 {}</style><h1>Broken</h1>" + "x" * 1000)
    with pytest.raises(ProblemError, match="500: Internal Server Error: Broken x") as caught:
        Script(page).concord().corpora.get(7)
    assert len(caught.value.detail) < 300
    assert "Look whether this is the site's address" in str(caught.value)
    with pytest.raises(TokenError):
        Script(refused(401)).concord().corpora.get(7)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("https://b.example/", "https://a.example leads to https://b.example: give that address to Concord."),
        (
            "https://b.example/here/api/v1/corpora/7/?x=y",
            "https://a.example leads to https://b.example/here: give that address to Concord.",
        ),
        ("/login/?next=/", "https://a.example leads to /login/?next=/: is this the site's address?"),
    ],
)
def test_another_address_is_told_as_the_client_takes_it(place, told):
    with pytest.raises(ClientError) as caught:
        Script(httpx2.Response(301, headers={"Location": place})).concord().corpora.get(7)
    assert str(caught.value) == told


def test_a_token_that_went_unencrypted_is_told():
    site = Script(httpx2.Response(301, headers={"Location": "https://a.example/api/v1/corpora/7/"}))
    concord = Concord("http://a.example", "concord_secret", transport=httpx2.MockTransport(site))
    with pytest.raises(ClientError, match=r"leads to https://a\.example: .* unencrypted: revoke it"):
        concord.corpora.get(7)


def test_another_version_and_another_site_are_told():
    with pytest.raises(ClientError, match=r"missing required field `id`.*version"):
        Script(said({})).concord().corpora.get(7)
    with pytest.raises(ClientError, match="is no API of Concord: is this the site's address"):
        Script(httpx2.Response(200, html="<h1>Welcome</h1>")).concord().corpora.get(7)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ClientError, match=r"There is no file .*mine\.jsonl: give the path"):
        Script().concord().corpora.import_corpus(tmp_path / "mine.jsonl")


def test_a_time_without_a_zone_is_one_of_this_machine():
    local = datetime.fromisoformat("2026-01-02T03:00")
    assert sendable({"opens_at": local}) == {"opens_at": local.astimezone().isoformat()}


def test_a_list_follows_its_cursor_and_never_leaves_the_address():
    second = {**ROW, "id": 8}
    site = Script(
        said(
            {
                "results": [ROW],
                "next": "http://elsewhere.example/api/v1/corpora/?cursor=cD0y&limit=200&q=a%20b",
            }
        ),
        said({"results": [second], "next": None}),
    )
    found = site.concord().corpora.list(q="a b")
    assert site.requests == []
    assert [one.id for one in found] == [7, 8]
    assert [str(one.url.copy_with(query=None)) for one in site.requests] == [
        "https://a.example/api/v1/corpora/"
    ] * 2
    assert dict(site.requests[1].url.params) == {"cursor": "cD0y", "limit": "200", "q": "a b"}


@pytest.mark.parametrize(
    "address", ["a.example", "ftp://a.example", "https://me:word@a.example", "https://a?b=c"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ClientError, match="address of a site"):
        Concord(address, "concord_secret")


@pytest.mark.parametrize("token", ["two words", "töken", "line\n"])
def test_what_is_no_token_is_refused_unseen(token):
    with pytest.raises(ClientError) as caught:
        Concord("https://a.example", token)
    assert token.strip() not in str(caught.value)


def test_address_and_token_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("CONCORD_ADDRESS", "https://c.example/")
    monkeypatch.setenv("CONCORD_TOKEN", "concord_hidden")
    concord = Concord()
    assert (concord.address, repr(concord)) == ("https://c.example", "Concord('https://c.example')")
    monkeypatch.delenv("CONCORD_TOKEN")
    with pytest.raises(ClientError, match="CONCORD_TOKEN"):
        Concord()


def test_a_body_is_what_the_caller_gave():
    site = Script(said(EXCLUSION, 201))
    batch_of(site).exclude("r1", "asleep", questionnaire=4)
    assert json.loads(site.bodies[0]) == {"rater": "r1", "reason": "asleep", "questionnaire": 4}
    assert isinstance(site.concord().corpora, Corpora)
