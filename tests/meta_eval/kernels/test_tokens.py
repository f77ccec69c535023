"""Ragged arrays and sliding windows."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from meta_eval.kernels.tokens import Ragged, kept_tokens, slide_windows, take_rows, tokenise, whole_windows

FIRST, LAST = 101, 102


def text(tokens):
    return [FIRST, *range(tokens), LAST]


def rows_of(ragged):
    return [
        ragged.ids[start:stop].tolist()
        for start, stop in zip(ragged.offsets[:-1], ragged.offsets[1:], strict=True)
    ]


def owned_of(windows):
    return [
        windows.owned[start:stop].tolist()
        for start, stop in zip(windows.ragged.offsets[:-1], windows.ragged.offsets[1:], strict=True)
    ]


def test_take_rows_reorders_and_says_from_where():
    ragged = Ragged.of([[1, 2, 3], [], [4], [5, 6]])
    taken, source = take_rows(ragged, np.array([3, 0, 1]))
    assert rows_of(taken) == [[5, 6], [1, 2, 3], []]
    assert ragged.ids[source].tolist() == taken.ids.tolist()


def test_special_word_pieces_are_left_out_by_value_wherever_they_stand():
    assert kept_tokens(np.array([2, 7, 3, 8, 0, 3]), (0, 2, 3)).tolist() == [
        False,
        True,
        False,
        True,
        False,
        False,
    ]


def test_a_text_that_fits_is_one_window():
    ragged = Ragged.of([text(8), text(3)])
    slid, whole = slide_windows(ragged, 10, 3), whole_windows(ragged)
    assert rows_of(slid.ragged) == rows_of(whole.ragged) == [text(8), text(3)]
    assert slid.text.tolist() == [0, 1]
    assert slid.number.tolist() == [0, 0]
    assert slid.owned.all()


def test_windows_start_every_stride_and_the_last_ends_with_the_text():
    windows = slide_windows(Ragged.of([text(11)]), 8, 2)
    assert rows_of(windows.ragged) == [
        [FIRST, *range(6), LAST],
        [FIRST, *range(2, 8), LAST],
        [FIRST, *range(4, 10), LAST],
        [FIRST, *range(5, 11), LAST],
    ]
    assert windows.number.tolist() == [0, 1, 2, 3]


def test_a_word_piece_belongs_to_the_window_whose_middle_is_nearest():
    windows = slide_windows(Ragged.of([text(9)]), 7, 2)
    # Windows of 5 start at 0, 2, 4: middles 2, 4, 6. Piece 3 is as near to 2 as to 4.
    owned = [
        np.array(row)[mask].tolist()
        for row, mask in zip(rows_of(windows.ragged), owned_of(windows), strict=True)
    ]
    assert owned == [[0, 1, 2, 3], [4, 5], [6, 7, 8]]


@pytest.mark.parametrize("stride", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("tokens", [9, 10, 17, 23])
def test_every_word_piece_is_owned_once(tokens, stride):
    windows = slide_windows(Ragged.of([text(4), text(tokens), text(8)]), 10, stride)
    long = windows.text[windows.ragged.rows()] == 1
    owned = windows.ragged.ids[windows.owned & long]
    assert sorted(owned.tolist()) == list(range(tokens))
    assert set(windows.text.tolist()) == {0, 1, 2}
    assert (windows.ragged.lengths <= 10).all()


@pytest.mark.parametrize(("max_length", "stride"), [(10, 0), (10, 9), (2, 1)])
def test_impossible_windows_are_refused(max_length, stride):
    with pytest.raises(ValueError, match="cannot start every"):
        slide_windows(Ragged.of([text(20)]), max_length, stride)


def test_threads_that_share_a_tokenizer_take_turns():
    """One that is told where to cut keeps that within, so a second thread must not tell it otherwise."""
    both = Barrier(2)
    met = []

    def tokenizer(texts, **_options):
        try:
            both.wait(timeout=0.3)
            met.append(True)
        except BrokenBarrierError:
            both.reset()
        return {"input_ids": [[1] for _ in texts]}

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(lambda length: tokenise(tokenizer, ["a"], length), (4, 8)))
    assert not met
