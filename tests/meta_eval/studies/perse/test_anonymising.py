"""Reviews of public works without their names: whole words alone, both texts, and nothing half done."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.anonymising import NewNames, anonymise, read_public_reviews, replace_names
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import run
from tests.meta_eval.studies.perse.judging import FENCED, write_lines

DIGESTS = {
    "anonymise-names": (1, "c900fa826c47a160e59c8c15c60fda2cc0550953b935f4fecfb1c520603b2180"),
    "anonymise-shorten": (1, "2c549d2c4af422b866ab4dcf65489cbf94403ec2d50692d12ba994d939f1a1cf"),
}
PLOT = "The Holm twins, Anna Holm and Bo, leave Oslo. The rain may stop; May stays. Annabel waits."
NAMES = {"Anna Holm": "Eva Berg", "Holm": "Berg", "Bo": "Ib", "Oslo": "Turku"}
TOLD = "The Berg twins, Eva Berg and Ib, leave Turku. The rain may stop; May stays. Annabel waits."
REVIEWS = [
    {
        "reviewer": "r-17",
        "item": "Bo's Rain",
        "text": PLOT,
        "review": "Bo is no Bob. Poor Holm! So is Bo's Rain.",
        "score": 7,
        "address": "films/bos-rain",
    },
    {"reviewer": "r-23", "item": "Bo's Rain", "text": PLOT, "review": "Dull.", "score": 2},
    {"reviewer": "r-17", "item": "Nameless", "text": "Nobody has a name.", "review": "Fine.", "score": 5},
    {"reviewer": "r-23", "item": "Refused", "text": "Cy sleeps.", "review": "Cy snores.", "score": 5},
]


def test_a_changed_word_of_a_prompt_is_noticed():
    """Give a template a new version with its new digest: results under the old one are others."""
    assert {name: (load_prompt(name).version, load_prompt(name).digest) for name in DIGESTS} == DIGESTS


def test_names_are_replaced_as_whole_words_and_none_twice():
    assert replace_names(PLOT, NAMES) == TOLD
    assert replace_names("Ann Lee, Ann.", {"Ann": "Eva", "Ann Lee": "Ida Berg"}) == "Ida Berg, Eva."
    assert replace_names("Ann, Bo.", {"Ann": "Bo", "Bo": "Ann"}) == "Bo, Ann."
    assert replace_names("rain", {}) == "rain"


def test_a_name_is_no_pattern():
    assert replace_names("JxRx met J.R. (Bo).", {"J.R.": "Di", "Bo)": "Cy)"}) == "JxRx met Di (Cy)."


@given(st.dictionaries(st.sampled_from(["Ann", "Ann Lee", "Lee", "Bo"]), st.just("Xy")), st.text("AneLBo ,"))
def test_none_of_the_names_is_left(names, text):
    told = replace_names(text, names)
    assert not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told) for name in names)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("Eva", "it is no JSON object"),
        ('["Bo"]', "it is no JSON object from names to new names"),
        ('{"Bo": 3}', "it is no JSON object from names to new names"),
        ('{"Bo": "Ib", "Bo": "Ida"}', "it is no JSON object"),
        ('{"Bo": " "}', "it has an empty name"),
        ('{"Cy": "Ib"}', "'Cy' does not stand in the text"),
        ('{"Ann": "Ib"}', "'Ann' does not stand in the text"),
        ('{"Bo": "Annabel"}', "the new name 'Annabel' stands in the text"),
        ('{"May": "June"}', "'May' is also a common word of the text"),
        ('{"rain": "Snow"}', "'rain' is no name, which begins with a capital letter"),
        ('{"Bo": "Ib", "Oslo": "Ib"}', "two names become 'Ib'"),
        ('{"Anna Holm": "Eva Berg", "Holm": "Dahl"}', "'Anna Holm' and 'Holm' get different family names"),
        ('{"The Holm": "The Berg", "Anna": "Eva"}', "'Holm' of 'The Holm' stands alone, too: list it"),
    ],
)
def test_a_map_that_would_spoil_the_text_is_not_read(reply, problem):
    found = NewNames(PLOT).read(reply)
    assert (found.value, found.problem) == (None, problem)


def test_a_map_is_read_bare_or_in_a_block():
    written = json.dumps(NAMES)
    for reply in (written, f"Here:\n```json\n{written}\n```"):
        assert NewNames(PLOT).read(reply).value == NAMES
    assert NewNames(PLOT).read("{}").value == {}
    assert (
        NewNames("雨の中、太郎は歩く。").read('{"太郎": "次郎"}').problem
        == "'太郎' does not stand in the text"
    )
    assert NewNames("太郎 は歩く。").read('{"太郎": "次郎"}').value == {"太郎": "次郎"}


def model(body, times):
    """Names the first work, takes a repair turn for the second, and refuses the third."""
    prompt = body["messages"][1]["content"]
    (text,) = (found[1] for found in FENCED.findall(prompt))
    if "Tell it again" in prompt:
        return Play(f"Short: {text[:12]}")
    if text == PLOT:
        return Play(json.dumps(NAMES))
    if text.startswith("Nobody"):
        return Play("{}" if len(body["messages"]) > 2 else '{"nobody": "Ib"}')
    return Play("", refusal="no")


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_the_command_writes_reviews_without_names_and_replays_to_the_same_bytes(tmp_path):
    file = write_lines(tmp_path / "public.jsonl", REVIEWS)
    typed = ("judge", "anonymise", file, "--shorten", "--words", 20)
    with model_server(model) as server:
        asked = f"http:model=m,url={server.url}"
        done = run(*typed, "--model", asked, "--out", tmp_path / "first")
        assert done.returncode == 0, done.stderr
        assert not any(b"r-17" in body or b"Nameless" in body for body in server.seen.bodies)
        requests = server.requests
        assert requests == 6  # three works, a repair turn, two told anew
    assert "1 works are left out" in done.stderr
    made = lines_of(tmp_path / "first" / "reviews.jsonl")
    assert [(one["reviewer"], one["item"], one["text"], one["review"], one["score"]) for one in made] == [
        ("r-17", "work-1", f"Short: {TOLD[:12]}", "Ib is no Bob. Poor Berg! So is work-1.", 7),
        ("r-23", "work-1", f"Short: {TOLD[:12]}", "Dull.", 2),
        ("r-17", "work-2", "Short: Nobody has a", "Fine.", 5),
    ]
    assert {*made[0]} == {"reviewer", "item", "text", "review", "score"}
    assert [one["item"] for one in lines_of(tmp_path / "first" / "key.jsonl")] == ["Bo's Rain", "Nameless"]
    (record,) = json.loads((tmp_path / "first" / "run.json").read_text("utf-8"))
    assert (record["works"], record["works_left_out"], record["names"]) == (2, {"refused": 1}, len(NAMES))
    assert [one["options"]["prompt"] for one in record["signatures"]] == [
        "anonymise-names-1",
        "anonymise-shorten-1",
    ]
    again = ("--model", "replay:model=m", "--replies", tmp_path / "first" / "replies.jsonl")
    done = run(*typed, *again, "--out", tmp_path / "second")
    assert done.returncode == 0, done.stderr
    for name in ("reviews.jsonl", "key.jsonl"):
        assert (tmp_path / "second" / name).read_bytes() == (tmp_path / "first" / name).read_bytes()


@pytest.mark.parametrize(
    ("title", "review", "told"),
    [
        ("Nine Clocks", "Nine Clocks has nine clocks.", "work-1 has nine clocks."),
        ("Jaws", "Jaws is loud.", "work-1 is loud."),
        ("Rain", "Rain falls. I like rain.", "Rain falls. I like rain."),
        ("tt0073195", "I saw tt0073195.", "I saw tt0073195."),
    ],
)
def test_a_title_is_replaced_unless_it_is_a_common_word(title, review, told):
    record = {"reviewer": "r", "item": title, "text": "It is wet.", "review": review, "score": 5}

    def ask(questions):
        return [Answer(one.id, {}, None) for one in questions]

    made = anonymise([record], ask, load_prompt("anonymise-names"))
    assert [one["review"] for one in made.reviews] == [told]


def test_a_dry_run_writes_the_prompts_of_the_first_step(tmp_path):
    file = write_lines(tmp_path / "public.jsonl", REVIEWS)
    typed = ("judge", "anonymise", file, "--shorten", "--dry-run", "--model", "replay:model=m")
    assert run(*typed, "--out", tmp_path / "out").returncode == 0
    prompts = lines_of(tmp_path / "out" / "prompts.jsonl")
    assert [prompt_of(one).count("List every name") for one in prompts] == [1, 1, 1]


def test_reviews_that_cannot_be_used_are_named(tmp_path):
    wrong = [{"reviewer": "r-17", "item": "x"}, {**REVIEWS[0], "text": "Another plot."}, REVIEWS[1]]
    with pytest.raises(InputError) as error:
        read_public_reviews(write_lines(tmp_path / "wrong.jsonl", wrong))
    assert "lacks text, review" in str(error.value)
    assert 'item "Bo\'s Rain" has another text on a line before' in str(error.value)
    with pytest.raises(InputError, match="holds no reviews"):
        read_public_reviews(write_lines(tmp_path / "none.jsonl", []))
