"""Expected scores: the value is found by its place, two digits are told apart, and doubt weighs nothing."""

import json
import math

import pytest

from meta_eval.llm import replies
from meta_eval.llm.asking import Asking
from meta_eval.llm.files import read_replies, reply_lines
from meta_eval.llm.forms import Choice, Score, Text
from meta_eval.llm.models import ModelError, ReplayModel, Reply, parse_model, request_key
from meta_eval.llm.opening import open_model
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.llm.replies import KeptReplies, ReplyStore
from meta_eval.llm.weighing import expected_score, find_value, tail_of, weigh
from tests.factories.causal_models import save_causal
from tests.factories.llm_server import Play, model_server
from tests.meta_eval.llm.questions import http_model

TEN = Score(1, 10, explain="review")


def kept(*tokens):
    """The tail of a reply: a text, or a text and what was likely there."""
    pairs = [(one, {}) if isinstance(one, str) else one for one in tokens]
    tail = [[text, {other: math.log(share) for other, share in likely.items()}] for text, likely in pairs]
    return json.dumps({"tail": tail})


def weighed(form, *tokens):
    """What is weighed of a reply that consists of these tokens."""
    text = "".join(one if isinstance(one, str) else one[0] for one in tokens)
    found = weigh(form, text, kept(*tokens))
    return None if found is None else {value: round(share, 9) for value, share in found.items() if share}


LIKELY = {"7": 0.6, "8": 0.3, "9": 0.05, "x": 0.05}
SHARES = {"7": round(0.6 / 0.95, 9), "8": round(0.3 / 0.95, 9), "9": round(0.05 / 0.95, 9)}


def test_the_value_is_weighed_where_it_stands_and_not_where_the_explanation_has_its_digit():
    said = ('{"review": "', ("7", {"1": 0.5, "2": 0.5}), ' of 10", "score": ', ("7", LIKELY), "}")
    assert weighed(TEN, *said) == SHARES
    assert expected_score(SHARES) == pytest.approx((7 * 0.6 + 8 * 0.3 + 9 * 0.05) / 0.95)


@pytest.mark.parametrize(
    "tokens",
    [
        ('{"score":', (" 7", {f" {one}": share for one, share in LIKELY.items()}), "}"),
        ('{"score": ', ("7}", {f"{one}}}": share for one, share in LIKELY.items()})),
        ('{"score"', (": 7", {f": {one}": share for one, share in LIKELY.items()}), "}\n```"),
    ],
)
def test_tokens_may_hold_more_than_the_value(tokens):
    assert weighed(TEN, *tokens) == SHARES


def test_ten_is_told_from_one_by_the_token_that_follows():
    one = ("1", {"1": 0.9, "2": 0.1})
    following = ("0", {"0": 0.75, "}": 0.25})
    assert weighed(TEN, '{"score": ', one, following, "}") == {"1": 0.225, "2": 0.1, "10": 0.675}
    assert weighed(Score(1, 9), '{"score": ', one, "}") == {"1": 0.9, "2": 0.1}


def test_what_may_be_one_or_ten_is_not_weighed_unless_it_hardly_counts():
    start = '{"score": '
    assert weighed(TEN, start, ("7", {"7": 0.95, "1": 0.05}), "}") is None
    assert weighed(TEN, start, ("7", {"7": 0.995, "1": 0.005}), "}") == {"7": 1.0}
    assert weighed(TEN, start, ("1", {"1": 1.0})) is None


def test_valid_values_must_hold_nine_tenths():
    start = '{"score": '
    assert weighed(TEN, start, ("7", {"7": 0.91, "good": 0.09}), "}") == {"7": 1.0}
    assert weighed(TEN, start, ("7", {"7": 0.89, "good": 0.11}), "}") is None


def test_choices_are_weighed_between_their_quotes():
    form = Choice(("A", "B"), explain="reason")
    said = ('{"reason": "A is shorter", "choice": "', ("B", {"B": 0.8, "A": 0.2}), '"}')
    assert weighed(form, *said) == {"A": 0.2, "B": 0.8}
    assert weighed(form, '{"choice":', (' "B"', {' "B"': 0.8, ' "A': 0.2}), "}") == {"A": 0.2, "B": 0.8}


def test_a_space_before_the_value_changes_nothing():
    said = ('{"score":', (" 7", {" 7": 0.5, "7": 0.1, " 8": 0.3, "8": 0.1}), "}")
    assert weighed(TEN, *said) == {"7": 0.6, "8": 0.4}
    assert weighed(TEN, '{"score":', ("7", {"7": 0.6, " 8": 0.4}), "}") == {"7": 0.6, "8": 0.4}
    form = Choice(("A", "B"))
    assert weighed(form, '{"choice":', (' "A', {' "A': 0.6, '"B': 0.4}), '"}') == {"A": 0.6, "B": 0.4}
    assert weighed(form, '{"choice": "', ("A", {"A": 0.6, " B": 0.4}), '"}') is None  # " B" is no choice


def test_a_number_that_goes_on_is_another_one():
    assert weighed(TEN, '{"score": ', ("7", {"7": 0.8, "7.": 0.2}), "}") is None
    following = ("}", {"}": 0.9, ".": 0.05, "0": 0.05})
    assert weighed(TEN, '{"score": ', ("1", {"1": 1.0}), following) == {"1": 0.947368421, "10": 0.052631579}


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 7, "other": {"score": 3}}',
        '```json\n{"score": 7}\n```\nAnother would say "score": 3',
    ],
)
def test_another_place_than_that_of_the_value_is_never_weighed(text):
    assert TEN.read(text).value == 7
    start, _, end = text.rpartition("3")
    assert weigh(TEN, text, kept(start, ("3", {"3": 1.0}), end)) is None


def test_a_block_is_weighed_whatever_follows_it():
    text = '```json\n{"score": 7}\n```\nAnother would say "score": 3'
    start, _, end = text.partition("7")
    assert weigh(TEN, text, kept(start, ("7", {"7": 0.75, "8": 0.25}), end))["8"] == 0.25


@pytest.mark.parametrize("value", ["Infinity", "1000", "NaN", "null", "true", '"-1"'])
def test_what_is_no_log_probability_weighs_nothing(value):
    tail = f'{{"tail": [["{{\\"score\\": ", {{}}], ["7", {{"7": {value}}}], ["}}", {{}}]]}}'
    assert json.loads(tail.replace(value, "0"))["tail"][0][0] == '{"score": '
    assert weigh(TEN, '{"score": 7}', tail) is None


def test_tokens_of_one_text_count_together():
    """Two tokens that a server writes alike, with a space and without."""
    twice = [("7", -1.0), ("8", -1.2), ("8", -3.0), ("7", -2.0), ("7", -2.0)]
    others = [{"token": token, "logprob": value} for token, value in twice]
    top = tail_of({"content": [{"token": "7", "logprob": -1.0, "top_logprobs": others}]})
    ((_, likely),) = json.loads(top)["tail"]
    assert likely == pytest.approx({of: math.log(math.exp(a) + math.exp(b)) for of, a, b in SAME})


SAME = (("7", -1.0, -2.0), ("8", -1.2, -3.0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": [{"token": "7", "logprob": None}]},
        {"content": [{"token": "7", "logprob": 0.9}]},
        {"content": [{"token": "7", "logprob": -1.0, "top_logprobs": [{"token": "7"}]}]},
        {"content": {}},
        {"content": ["7"]},
        {"content": []},
        {"tokens": ["7"]},
    ],
)
def test_a_reply_whose_probabilities_cannot_be_read_is_kept_all_the_same(wrong):
    with model_server(lambda *_: Play('{"score": 7}', logprobs=wrong)) as server:
        (answer,) = Asking([asked()], http_model(server, probabilities="true"))
    assert (answer.value, answer.probabilities, answer.turns) == (7, None, 1)


def test_an_end_token_is_no_part_of_a_reply_and_other_tokens_weigh_nothing():
    text, tokens = '{"score": 7}', ('{"score": ', ("7", {"7": 1.0}), "}")
    assert weigh(TEN, text, kept(*tokens, "<end>"))["7"] == 1.0
    assert weigh(TEN, text, kept("another", "text")) is None
    assert weigh(TEN, text, kept("}")) is None  # the value stands before the last tokens
    assert weigh(TEN, "no value", kept("no value")) is None
    assert weigh(TEN, text, None) is None
    assert weigh(TEN, text, "[]") is None
    assert find_value(Text(), "7") is None


def asked(text="How alike?"):
    return Question("q", Request((Message("user", text),), TEN, 64))


def logprobs(*tokens):
    """As a server lists them."""
    return {
        "content": [
            {
                "token": text,
                "logprob": math.log(likely.get(text, 1.0)),
                "top_logprobs": [{"token": one, "logprob": math.log(share)} for one, share in likely.items()],
            }
            for text, likely in tokens
        ]
    }


def test_a_server_is_asked_for_probabilities_and_they_are_kept_and_replayed(tmp_path):
    tokens = [('{"review": "7", "score": ', {}), ("7", {"7": 0.75, "8": 0.25}), ("}", {})]
    play = Play("".join(text for text, _ in tokens), logprobs=logprobs(*tokens))
    store = ReplyStore(str(tmp_path / "store"))
    with model_server(lambda *_: play) as server:
        model = http_model(server, probabilities="true")
        run = Asking([asked()], model, kept=store.of(model.options))
        (answer,) = run
    (body,) = map(json.loads, server.seen.bodies)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert (answer.value, answer.expected) == (7, pytest.approx(7.25))
    replay = ReplayModel(parse_model("replay:model=judge,probabilities=true"))
    (from_store,) = Asking([asked()], replay, kept=store.of(replay.options))
    file = tmp_path / "replies.jsonl"
    file.write_text("".join(reply_lines(run.replies)), encoding="utf-8")
    (from_file,) = Asking([asked()], replay, kept=KeptReplies(given=read_replies(file)))
    assert from_store.probabilities == from_file.probabilities == answer.probabilities


def test_who_asks_for_none_sends_and_keys_as_before():
    plain, weighing = (parse_model(f"replay:model=m{more}") for more in ("", ",probabilities=true"))
    assert "probabilities" not in plain.shape
    assert request_key(plain, asked().request) != request_key(weighing, asked().request)
    with model_server(lambda *_: Play('{"score": 7}')) as server:
        (answer,) = Asking([asked()], http_model(server))
    assert "logprobs" not in json.loads(server.seen.bodies[0])
    assert (answer.value, answer.expected) == (7, None)
    with pytest.raises(ModelError, match="probabilities of a model must be true or false"):
        parse_model("http:model=m,probabilities=yes")


def test_replies_that_were_kept_before_are_found(tmp_path, monkeypatch):
    """Their parts have no column of probabilities."""
    model, request = parse_model("replay:model=m"), asked().request
    key, reply = request_key(model, request), Reply('{"score": 7}', prompt_tokens=3)
    with monkeypatch.context() as before:
        before.setattr(replies, "_KEPT", tuple(name for name in replies._KEPT if name != "top"))
        kept_then = ReplyStore(str(tmp_path)).of(model)
        kept_then.keep([(key, request, reply, kept_then.now())])
    now = ReplyStore(str(tmp_path)).of(model)
    now.refresh()
    assert now.find(key) == reply


def test_a_local_model_scores_every_value_as_a_whole(tmp_path):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = save_causal(tmp_path / "tiny")
    model = open_model(parse_model(f"local:model={folder},device=cpu,probabilities=true"))
    prompt = model._generator.encode([{"role": "user", "content": "rain"}])
    request = Request((Message("user", "rain"),), TEN, 8)
    top = model._weigh(prompt, request, '{"score": 1}')
    tokenizer, plain = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    start = tokenizer('{"score": ', add_special_tokens=False)["input_ids"]
    wanted = {}
    for value in map(str, range(1, 11)):
        rest = tokenizer(f"{value}}}", add_special_tokens=False)["input_ids"]
        ids = torch.tensor([[*prompt, *start, *rest]])
        with torch.no_grad():
            likely = torch.log_softmax(plain(ids).logits[0].float(), dim=-1)
        first = len(prompt) + len(start)
        wanted[value] = sum(likely[first + at - 1, token].item() for at, token in enumerate(rest))
    assert json.loads(top)["options"] == pytest.approx(wanted, abs=1e-4)
    assert model._weigh(prompt, request, '"score": 1') is None  # it may have been about to be 10
    total = sum(map(math.exp, wanted.values()))
    assert weigh(TEN, '{"score": 1}', top)["10"] == pytest.approx(math.exp(wanted["10"]) / total, rel=1e-3)
