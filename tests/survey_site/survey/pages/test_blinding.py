"""Decision 3: nothing a rater's browser receives tells which system wrote what.

The corpus below has names and keys that occur in none of its texts: any of them in a response is a leak.
"""

import re
from collections import Counter

import pytest
from django.db import connection
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.services import close_batch
from survey_site.corpus.models import Document, Reader, Reference, Summary, System
from survey_site.survey.models import Assignment, AssignmentItem, Participation, Rater, Rating
from survey_site.survey.people.identity import invitation_code
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db
SYSTEMS, READERS = 5, 2
ITEMS = SYSTEMS + 3  # gold and two controls
TABLES = (
    *(System, Reader, Document, Reference, Summary),
    *(Batch, Questionnaire, Item, Rater, Assignment, AssignmentItem, Rating),
)
OFFSET = 7_300_000  # added to primary keys, so that one of them in a page can be told from a small number


@pytest.fixture
def batch():
    for table in TABLES:
        start_keys_at(table)
    corpus = make_corpus(name="Zeppelin corpus", documents=4, readers=READERS, systems=SYSTEMS)
    for system in corpus.systems.all():
        rename(system, name=f"Qwertz-{system.position}-NAML")
    for reader in corpus.readers.all():
        rename(reader, key=f"readerkey-{reader.key}")
    for number, document in enumerate(corpus.documents.all()):
        rename(document, key=f"N{48_151_623 + number}")
        write_texts(document)
    return make_batch(
        corpus=corpus,
        name="Yellow study of gold",
        documents=4,
        systems_per_questionnaire=SYSTEMS,
        identical_share=100,
        unrelated_share=100,
        seed=3,
    )


def start_keys_at(table):
    """The next row of this table gets a key above OFFSET."""
    name = table._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [name, OFFSET])
        else:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [name, OFFSET])


def rename(row, **values):
    type(row).objects.filter(pk=row.pk).update(**values)


def write_texts(document):
    """Texts that are alike for all systems and for gold, so that only the page could tell them apart."""
    words = iter(f"sentence {chr(97 + i)}{chr(97 + j)}" for i in range(26) for j in range(26))
    for table in (Reference, Summary):
        for row in table.objects.filter(document=document):
            rename(row, text=f"{document.title}: {next(words)}")


class Recorder:
    """A browser that keeps every byte it was sent."""

    def __init__(self):
        self.client = Client(headers={"accept": "text/html"})
        self.received = []

    def request(self, method, address, data=None, **extra):
        response = getattr(self.client, method)(address, data or {}, **extra)
        head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
        cookies = "\n".join(morsel.OutputString() for morsel in response.cookies.values())
        body = b"".join(response.streaming_content) if response.streaming else response.content
        self.received.append(f"{address}\n{head}\n{cookies}\n{body.decode()}")
        return response

    def rate_a_questionnaire(self, batch):
        """Join or go on, save, err, submit, look back; gives the item codes in page order."""
        self.request("get", reverse("survey:declined", args=[batch.token]))
        self.request("get", reverse("survey:join", args=[batch.token]))
        key = re.search(r'name="key" value="([^"]+)"', self.received[-1])
        start = reverse("survey:start", args=[batch.token])
        address = self.request("post", start, {"key": key.group(1)} if key else {}).url
        if address.endswith("/about-you/"):
            self.request("get", address)
            self.request("post", address, {"age": "nonsense"})
            address = self.request("post", address, {"age": "25 to 34"}).url
        if address.endswith("/practice/"):
            self.request("get", address)
            self.request("post", address, {"rating-practice-1": 5})
            address = self.request("post", start, {"practised": "yes"}).url
        page = self.request("get", address)
        names = list(dict.fromkeys(re.findall(r'name="(rating-[^"]+)"', page.content.decode())))
        for name in names:
            self.request("post", f"{address}rate/", {"item": name.removeprefix("rating-"), "value": 3})
        self.request("post", f"{address}rate/", {"item": names[0], "value": 9})
        self.request("post", f"{address}rate/", {"item": "unknown", "value": 3})
        self.request("post", address, {names[0]: 4, "rating-unknown": 2})
        done = self.request("post", address, dict.fromkeys(names, 5)).url
        self.request("get", done)
        self.request("get", address)
        self.request("get", reverse("survey:leave", args=[batch.token]))
        return [name.removeprefix("rating-") for name in names]


def forbidden_words(batch):
    """Names and keys of corpus and batch, words for gold and simulation, what is secret."""
    corpus = batch.corpus
    return [
        *System.objects.filter(corpus=corpus).values_list("name", flat=True),
        *Reader.objects.filter(corpus=corpus).values_list("key", flat=True),
        *Document.objects.filter(corpus=corpus).values_list("key", flat=True),
        *Rater.objects.values_list("key_hash", flat=True),
        *Rater.objects.values_list("code", flat=True),
        corpus.name,
        corpus.content_hash,
        batch.name,
        *("qwertz", "isgold", "is_gold", "simulated", "summar", "personali", "flipped"),
        *("identical", "unrelated", "is_control", "iscontrol", "data-control", "failed"),
    ]


def leaks(batch, text):
    """Forbidden words in the text. HTML's own <summary> element is none, nor is the header Cache-Control;
    "gold" and "control" count as words alone.
    """
    text = re.sub(r"</?summary>|cache-control", "", text.lower())
    gold = re.findall(r"(?<![a-z0-9])(gold|controls?)(?![a-z0-9])", text)
    return [word for word in forbidden_words(batch) if word.lower() in text] + gold


def forbidden_keys():
    """Every primary key of the rows behind the page."""
    return {key for table in TABLES for key in table.objects.values_list("pk", flat=True)}


def test_no_byte_that_a_rater_receives_names_a_system_a_reader_a_document_or_gold(batch):
    Participation.objects.create(
        batch=batch, questions=["field", "gender", "age"], entry="panel", no_place_code="NP", practice=True
    )
    recorder = Recorder()
    recorder.request("get", reverse("survey:join", args=[batch.token]))
    recorder.request("get", reverse("survey:invited", args=[batch.token, "7~nonsense"]))
    recorder.request("get", reverse("survey:invited", args=[batch.token, invitation_code(batch, 7)]))
    for _ in range(3):
        recorder.rate_a_questionnaire(batch)
    close_batch(batch=batch, now=NOW)
    recorder.request("get", reverse("survey:join", args=[batch.token]))
    for step in ("stop", "withdraw"):
        recorder.request("post", reverse(f"survey:{step}", args=[batch.token]))
        recorder.request("get", reverse("survey:done", args=[batch.token]))
    recorder.request("get", reverse("survey:questionnaire", args=[batch.token, "no-such"]))
    everything = "\n".join(recorder.received)
    assert "/practice/" in everything
    assert len(everything) > 50_000
    assert leaks(batch, everything) == []
    keys = forbidden_keys()
    assert min(keys) > OFFSET
    numbers = {int(number) for number in re.findall(r"(?<!\d)\d{7}(?!\d)", everything)}
    assert numbers & keys == set()


def all_addresses(resolver=None, prefix="/"):
    """Every address that the site knows, with 1 for whatever stands in it."""
    for one in (resolver or get_resolver()).url_patterns:
        address = prefix + re.sub(r"<[^>]+>", "1", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from all_addresses(one, address)
        else:
            yield address


def test_no_page_that_anybody_may_open_tells_what_the_texts_are(batch, settings):
    """A rater may cut their link to its host, guess any other address, and try to log in."""
    settings.AXES_ENABLED = True
    recorder, shown, received = Recorder(), {}, []
    for address in dict.fromkeys(all_addresses()):  # a page of ours may stand in front of one of Django's
        response = recorder.request("get", address)
        shown[address] = response.status_code
        if response.status_code == 302:
            recorder.request("get", response.url)
        # The form to log in leads back to what was asked for; the visitor has said that, not the site.
        received += [text.replace(address, "") for text in recorder.received]
        recorder.received.clear()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = recorder.request("post", reverse("accounts:login"), {"username": "eve", "password": "guess"})
    everything = "\n".join(received + recorder.received)
    assert [address for address, status in shown.items() if status == 200] == [
        reverse(name) for name in ("home", "accounts:login")
    ]
    # 401 and 406: the API, which asks for a token; 403: metrics; 410: a link to an account that is not there
    assert set(shown.values()) == {200, 302, 401, 403, 404, 405, 406, 410}
    assert (answer.status_code, "Too many wrong passwords" in everything) == (429, True)
    assert leaks(batch, everything) == []


def test_codes_are_new_for_each_rater(batch):
    seen = [code for _ in range(3) for code in Recorder().rate_a_questionnaire(batch)]
    assert len(seen) == len(set(seen)) == 3 * ITEMS


def test_order_and_sides_do_not_follow_from_the_system(batch):
    """Over many raters each system, gold and control stands in every position and side about as often."""
    raters = 120
    Questionnaire.objects.update(slots=raters)
    for _ in range(raters):
        client = Client()
        key = re.search(
            rb'name="key" value="([^"]+)"', client.get(reverse("survey:join", args=[batch.token])).content
        )
        client.post(reverse("survey:start", args=[batch.token]), {"key": key.group(1).decode()})
    placements = AssignmentItem.objects.values_list(
        "item__control", "item__system__name", "position", "flipped"
    )
    positions = Counter((control, system, position) for control, system, position, _ in placements)
    sides = Counter((control, system, flipped) for control, system, _, flipped in placements)
    expected = raters / ITEMS
    assert len(positions) == ITEMS**2
    # Six standard deviations of a binomial count: passes by chance, fails for any rule.
    spread = 6 * (raters * (1 / ITEMS) * (1 - 1 / ITEMS)) ** 0.5
    assert all(abs(count - expected) < spread for count in positions.values())
    side_spread = 6 * (raters / 4) ** 0.5
    assert all(abs(count - raters / 2) < side_spread for count in sides.values())


def test_the_page_lists_items_by_position_and_the_form_holds_nothing_else(batch):
    recorder = Recorder()
    codes = recorder.rate_a_questionnaire(batch)
    assignment = Assignment.objects.get()
    assert codes == list(assignment.placements.order_by("position").values_list("code", flat=True))
    page = recorder.received[3]
    names = set(re.findall(r'name="([^"]+)"', page)) - {"viewport", "robots"}
    own = {"comment", "comment_before", "csrfmiddlewaretoken"}
    assert names == own | {f"{field}-{code}" for code in codes for field in ("rating", "words")}
    data = set(re.findall(r'\sdata-([a-z-]+)="', page))
    assert data == {"item", "position", "rate-url", "now"}


def test_a_control_s_markup_is_that_of_every_other_pair(batch):
    """Each pair's bytes without its texts, its code and its number are the same, and codes of one length."""
    recorder = Recorder()
    codes = recorder.rate_a_questionnaire(batch)
    page = next(text for text in recorder.received if "<fieldset" in text and codes[0] in text)
    sections = re.findall(r'<section class="item".*?</section>', page, flags=re.DOTALL)
    texts = re.compile(r'(<p class="pair__words"[^>]*>)[^<]*(</p>)')
    plain = set()
    for number, (code, section) in enumerate(zip(codes, sections, strict=True), start=1):
        bare = texts.sub(r"\1\2", section).replace(code, "CODE").replace(f" of {ITEMS}<", " of all<")
        bare = bare.replace(f'data-position="{number}"', "data-position")
        plain.add(re.sub(rf"(?<=[ -]){number}(?=[ :.\"-])", "N", bare))
    assert len(sections) == ITEMS
    assert len(plain) == 1
    assert {len(code) for code in codes} == {16}


def test_the_scan_would_find_a_leak(batch):
    """The forbidden words are real: a staff page about the same batch is full of them."""
    staff = Client()
    staff.force_login(make_user(role="admin"))
    page = staff.get(reverse("batches:monitor", args=[batch.pk])).content.decode()
    found = {"Qwertz-1-NAML", "qwertz", batch.name, "gold", "control", "identical", "unrelated"}
    assert found <= set(leaks(batch, page))
