"""Which masked copies are made, and their weights."""

import numpy as np
import torch

from meta_eval.kernels.mask import equal_runs, masked_copies, plan_copies
from meta_eval.kernels.tokens import Ragged, kept_tokens, slide_windows, whole_windows

CLS, SEP = 2, 3


def plan(rows, weights=None):
    windows = whole_windows(Ragged.of(rows))
    return plan_copies(windows, kept_tokens(windows.ragged.ids, (0, CLS, SEP)), weights)


def test_each_word_piece_that_counts_is_masked_once():
    masked = plan([[CLS, 7, 8, 9, SEP], [CLS, 5, SEP], [CLS, 6, SEP, 7, SEP]])
    copies = {
        (int(masked.text[row]), int(position))
        for row, position in zip(masked.row, masked.position, strict=True)
    }
    assert copies == {(0, 1), (0, 2), (0, 3), (1, 1), (2, 1), (2, 3)}
    assert len(masked.row) == 6


def test_copies_come_in_order_of_length():
    masked = plan([[CLS, 7, 8, 9, SEP], [CLS, 5, SEP], [CLS, 6, 7, SEP], [CLS, 8, SEP]])
    assert masked.copy_lengths.tolist() == [3, 3, 4, 4, 5, 5, 5]
    assert masked.text.tolist() == [1, 3, 2, 0]


def test_a_text_without_word_pieces_is_left_out():
    masked = plan([[CLS, SEP], [CLS, 5, SEP], [CLS, SEP, SEP]])
    assert masked.text.tolist() == [1]


def test_weights_sum_to_one_over_a_text_and_its_windows():
    ragged = Ragged.of([[CLS, *range(10, 25), SEP], [CLS, 5, 6, SEP]])
    windows = slide_windows(ragged, 8, 3)
    masked = plan_copies(windows, kept_tokens(windows.ragged.ids, (0, CLS, SEP)))
    text = masked.text[masked.row]
    assert len(masked.row) == 17
    np.testing.assert_allclose(np.bincount(text, masked.weight), 1, rtol=1e-6)
    np.testing.assert_allclose(masked.weight[text == 0], 1 / 15, rtol=1e-6)


def test_given_weights_are_normalised_and_all_zero_ones_are_even():
    masked = plan([[CLS, 7, 8, SEP], [CLS, 5, 6, SEP]], np.array([9, 1, 3, 9, 9, 0, 0, 9], dtype=np.float32))
    assert masked.weight.tolist() == [0.25, 0.75, 0.5, 0.5]


def test_parts_hold_all_copies_and_no_window_is_split():
    masked = plan([[CLS, *range(10, 10 + n), SEP] for n in (1, 4, 2, 9, 3, 3)])
    parts = list(masked.parts(7))
    assert [len(part.row) for part in parts] == [6, 7, 9]
    assert np.concatenate([part.text for part in parts]).tolist() == masked.text.tolist()
    assert np.concatenate([part.position for part in parts]).tolist() == masked.position.tolist()
    for part in parts:
        assert part.copies.tolist() == np.bincount(part.row).tolist()
        assert part.ragged.offsets[0] == 0


def test_masked_copies_leave_the_text_alone():
    ids = torch.tensor([2, 7, 8, 3])
    assert masked_copies(ids, torch.tensor([2, 1]), 4).tolist() == [[2, 7, 4, 3], [2, 4, 8, 3]]
    assert ids.tolist() == [2, 7, 8, 3]


def test_equal_runs_end_where_any_key_changes():
    runs = list(equal_runs(np.array([1, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1])))
    assert runs == [slice(0, 2), slice(2, 3), slice(3, 5)]
    assert list(equal_runs(np.array([5]))) == [slice(0, 1)]
