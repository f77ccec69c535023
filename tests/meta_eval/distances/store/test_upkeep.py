import uuid
from datetime import UTC, datetime, timedelta

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.distances.store.files import TEMPORARY
from meta_eval.distances.store.pairs import hash_text
from meta_eval.distances.store.upkeep import CleanReport, clean_store, forget_texts, store_info
from meta_eval.llm.forms import Score
from meta_eval.llm.models import Reply, parse_model, request_key
from meta_eval.llm.questions import Message, Request
from meta_eval.llm.replies import ReplyStore
from tests.meta_eval.distances.store.test_store import many_documents, part_paths
from tests.meta_eval.tables import Recorder

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
LATER = START + 100 * DAY


def use(url: str, corpus: Corpus, now: datetime) -> int:
    """Compute with the store at a time; the pairs that were not in it."""
    return compute_distances(corpus, Recorder(), store=DistanceStore(url, clock=lambda: now)).counts.compared


def fill(documents: int) -> tuple[str, list[Corpus]]:
    """A store with a part for each of so many documents, each used a day after the one before."""
    url = f"memory://upkeep-{uuid.uuid4().hex}"
    corpora = [Corpus((found,)) for found in many_documents(documents).documents]
    for number, corpus in enumerate(corpora):
        use(url, corpus, START + number * DAY)
    return url, corpora


def test_info_says_what_is_stored_under_which_signature():
    url, _ = fill(3)
    info = store_info(url)
    found = info.signatures[0]
    assert (info.parts, info.bytes, len(info.signatures)) == (3, found.bytes, 1)
    assert (found.digest, found.text) == (Recorder().signature.digest, Recorder().signature.text)
    assert (found.parts, found.damaged, found.last_used) == (3, 0, START + 2 * DAY)
    assert found.bytes == sum(DistanceStore(url).files.sizes(f"{found.digest}/parts").values())


def test_a_store_that_nobody_has_written_to_is_empty():
    info = store_info(f"memory://upkeep-{uuid.uuid4().hex}")
    assert (info.signatures, info.parts, info.bytes) == ((), 0, 0)


def test_cleaning_removes_what_was_used_least_recently():
    url, corpora = fill(4)
    assert use(url, corpora[0], START + 50 * DAY) == 0  # the oldest, read again
    one = store_info(url).bytes // 4
    report = clean_store(url, max_bytes=2 * one + one // 2, now=LATER)
    assert (report.removed, report.kept, report.in_use) == (2, 2, 0)
    assert report.kept_bytes == store_info(url).bytes <= 2 * one + one // 2
    computed = [use(url, corpus, LATER) > 0 for corpus in corpora]
    assert computed == [False, True, True, False]


def test_cleaning_a_store_that_is_small_enough_removes_nothing():
    url, _ = fill(2)
    before = store_info(url)
    assert clean_store(url, max_bytes=before.bytes, now=LATER) == CleanReport(0, 0, 2, before.bytes, 0)
    assert store_info(url) == before


def test_cleaning_spares_what_was_used_within_the_hour():
    url, corpora = fill(3)
    report = clean_store(url, max_bytes=0, now=START + 2 * DAY + timedelta(minutes=59))
    assert (report.removed, report.kept, report.in_use) == (2, 1, 1)
    assert use(url, corpora[2], LATER) == 0
    assert clean_store(url, max_bytes=0, now=LATER, keep_used_within=timedelta(0)).kept == 0


def test_cleaning_leaves_no_mark_without_its_part():
    url, _ = fill(3)
    clean_store(url, max_bytes=store_info(url).bytes // 2, now=LATER)
    files, digest = DistanceStore(url).files, Recorder().signature.digest
    assert files.sizes(f"{digest}/used").keys() == files.sizes(f"{digest}/parts").keys()
    assert len(files.sizes(f"{digest}/used")) == 1


def test_a_part_whose_writer_was_killed_before_marking_it_counts_from_when_it_was_written():
    url, _ = fill(1)
    store = DistanceStore(url)
    store.files.remove(part_paths(store)[0].replace("/parts/", "/used/"))
    written = store.files.modified(part_paths(store)[0])
    assert store_info(url).signatures[0].last_used == written


def test_cleaning_removes_damaged_parts_and_what_killed_writers_left(tmp_path):
    url, corpus = str(tmp_path), many_documents(1)
    use(url, corpus, START)
    parts = tmp_path / Recorder().signature.digest / "parts"
    part = next(parts.iterdir())
    part.write_bytes(b"damaged")
    use(url, corpus, START)
    left = parts / f"{TEMPORARY}0-{part.name}"
    left.write_bytes(b"half")
    assert (store_info(url).signatures[0].damaged, store_info(url).parts) == (1, 1)
    now = datetime.now(UTC)
    clean_store(url, max_bytes=1 << 30, now=now)
    assert left.exists()
    clean_store(url, max_bytes=1 << 30, now=now + DAY)
    assert not left.exists()
    assert (store_info(url).signatures[0].damaged, store_info(url).parts) == (0, 1)


def texts_of(corpus: Corpus) -> set[str]:
    return {
        text
        for document in corpus.documents
        for texts in (document.references, *document.summaries.values(), {"": document.text})
        for text in texts.values()
    }


def test_forgetting_removes_what_names_a_text_that_is_not_known_and_nothing_else():
    url, (first, second, third) = fill(3)
    known = {hash_text(text) for corpus in (first, third) for text in texts_of(corpus)}
    assert forget_texts(url, known=known) == 1
    assert [use(url, corpus, LATER) for corpus in (first, third)] == [0, 0]
    assert use(url, second, LATER) > 0


def test_forgetting_removes_replies_of_models_which_hold_texts():
    url, (corpus,) = fill(1)
    options = parse_model("replay:model=m")
    request = Request((Message("user", "How alike are rain and sun?"),), Score(1, 6))
    key = request_key(options, request)
    ReplyStore(url).of(options).keep([(key, request, Reply('{"score": 3}'), START)])
    assert forget_texts(url, known={hash_text(text) for text in texts_of(corpus)}) == 1
    left = ReplyStore(url).of(options)
    left.refresh()
    assert left.find(key) is None
    assert use(url, corpus, LATER) == 0


def test_forgetting_removes_a_damaged_part():
    url, (corpus,) = fill(1)
    store = DistanceStore(url)
    (path,) = part_paths(store)
    store.files.write(path, b"cut off")
    assert forget_texts(url, known={hash_text(text) for text in texts_of(corpus)}) == 1
    assert part_paths(store) == []
