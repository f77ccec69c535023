"""Of two processes that ask the same, the one that keeps its reply first counts: for both, and ever after."""

import threading
from datetime import UTC, datetime

from meta_eval.distances.store.files import StoreFiles
from meta_eval.distances.store.upkeep import store_info
from meta_eval.llm.models import Reply, parse_model, replies_signature, request_key
from meta_eval.llm.replies import ReplyStore
from tests.meta_eval.llm.questions import question

OPTIONS = parse_model("http:model=judge")
REQUESTS = [question(number).request for number in range(3)]
KEYS = [request_key(OPTIONS, request) for request in REQUESTS]


def kept_at(second, text, *numbers):
    moment = datetime(2026, 5, 4, 3, 2, second, tzinfo=UTC)
    return [(KEYS[number], REQUESTS[number], Reply(text), moment) for number in numbers]


def texts_of(kept):
    kept.refresh()
    return [getattr(kept.find(key), "text", None) for key in KEYS]


def test_a_reply_that_is_written_later_never_counts_whatever_its_stamp_says(tmp_path):
    """The second run took its moment first, and wrote after the first run had ended."""
    store = ReplyStore(str(tmp_path))
    first, second = store.of(OPTIONS), store.of(OPTIONS)
    first.keep(kept_at(10, "of the first", 0, 1))
    ended = texts_of(first)
    second.keep(kept_at(9, "of the second", 1, 2))
    assert ended == ["of the first", "of the first", None]
    assert texts_of(first) == texts_of(second) == texts_of(store.of(OPTIONS))
    assert texts_of(second) == ["of the first", "of the first", "of the second"]


def test_what_others_kept_already_is_not_written_again(tmp_path):
    store = ReplyStore(str(tmp_path))
    store.of(OPTIONS).keep(kept_at(10, "of the first", 0, 1))
    store.of(OPTIONS).keep(kept_at(11, "of the second", 0, 1))
    assert store_info(str(tmp_path)).parts == 1


def test_who_keeps_replies_waits_for_whoever_does_so_already(tmp_path):
    store = ReplyStore(str(tmp_path))
    first, second = store.of(OPTIONS), store.of(OPTIONS)
    waiting = threading.Thread(target=second.keep, args=(kept_at(9, "of the second", 0),))
    with StoreFiles(str(tmp_path)).alone(replies_signature(OPTIONS).digest):
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert texts_of(first) == [None, None, None]
    waiting.join()
    assert texts_of(first) == ["of the second", None, None]


def test_at_a_url_where_nobody_can_be_kept_out_replies_are_kept_all_the_same():
    store = ReplyStore("memory://replies-of-two")
    store.of(OPTIONS).keep(kept_at(10, "of the first", 0))
    assert texts_of(store.of(OPTIONS)) == ["of the first", None, None]
