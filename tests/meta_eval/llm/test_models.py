"""Models by name, and what a model on this machine writes."""

import json
import shutil
import subprocess
import sys

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.llm.forms import Text
from meta_eval.llm.models import ModelError, ModelOptions, parse_model
from meta_eval.llm.opening import open_model
from meta_eval.llm.questions import Message, Request
from meta_eval.scores.prompt_styles import CONTRASTIVE, STYLES
from tests.factories.causal_models import WRITTEN_HEADLINES, save_causal, save_headline_writer
from tests.meta_eval.cli.running import run


def test_a_model_is_read_as_it_is_typed():
    assert parse_model("http:model=a/b, url=https://h:1/v1 ,temperature=0.6,top_k=16") == ModelOptions(
        kind="http", model="a/b", url="https://h:1/v1", temperature=0.6, top_k=16
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openai:model=m", "kind of a model must be one of http, local, replay."),
        ("http", "--model says no model; write http:model=NAME, and options after commas."),
        ("http:model=m,temp=1", "A model has no option 'temp'"),
        ("http:model=m,temperature=hot", "temperature of a model must be a number."),
        ("http:model=m,temperature=nan", "temperature of a model must be a number from 0 to 2."),
        ("http:model=m,model=n", "model of a model stands twice: leave one out."),
        ("http:model=m,sk-secret", "A model has no option of that name"),
        ("http:model=m,sk-secret=", "A model has no option of that name"),
        ("http:model=m,retries=sk-secret", "retries of a model must be a number."),
        ("http:model=m,structured=sk-secret", "structured of a model must be auto"),
        ("sk-secret", "--model says no model; write KIND:model=NAME"),
        ("sk-secret:model=m", "kind of a model must be one of http, local, replay."),
        ("http:model=m,top_p=0", "top_p of a model must be a number above 0 and at most 1."),
        ("http:model=m,seed=-1", "seed of a model must be a whole number from 0."),
    ],
)
def test_what_is_no_model_is_refused(text, message):
    with pytest.raises(ModelError) as error:
        parse_model(text)
    assert str(error.value).startswith(message)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["http://me:sk-secret@h/v1", "http://h/v1?key=sk-secret", "ftp://h", "h/v1",
                                 "http://[::1/sk-secret", "http://h:sk-secret/v1"])  # fmt: skip
def test_an_address_with_a_key_is_refused_and_not_repeated(url):
    with pytest.raises(ModelError) as error:
        open_model(parse_model(f"http:model=m,url={url}"))
    assert "sk-secret" not in str(error.value)
    with pytest.raises(ModelError) as error:
        parse_model("http:model=m,key=sk-secret")
    assert "sk-secret" not in str(error.value)


def test_the_library_loads_no_model_before_one_is_named():
    code = (
        "import sys, meta_eval.llm.asking, meta_eval.llm.replies; "
        "print([name for name in ('httpx2', 'torch', 'transformers', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture(scope="module")
def causal_folder(tmp_path_factory):
    """A tiny random causal model, saved as users' are."""
    return save_causal(tmp_path_factory.mktemp("models") / "tiny")


def request(text, *, most=12, sample=0):
    return Request((Message("user", text),), Text(), most, sample)


def test_greedy_replies_are_those_of_transformers(causal_folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = open_model(parse_model(f"local:model={causal_folder},device=cpu"))
    reply = model.answer(request("rain in the north"))
    tokenizer = AutoTokenizer.from_pretrained(causal_folder)
    ids = tokenizer("user: rain in the north\nassistant: ", return_tensors="pt")["input_ids"]
    plain = AutoModelForCausalLM.from_pretrained(causal_folder)
    wanted = plain.generate(ids, max_new_tokens=12, do_sample=False, pad_token_id=0)[0, ids.shape[1] :]
    assert reply.text == tokenizer.decode(wanted, skip_special_tokens=True)
    assert (reply.prompt_tokens, model.place) == (ids.shape[1], None)
    assert model.options.revision.startswith("sha256:")
    ended = [finish for finish in (reply.finish,) if finish == "stop"]
    assert bool(ended) == (0 in wanted.tolist())


def test_what_ends_a_reply_and_the_number_type_name_the_model(causal_folder, tmp_path):
    other = shutil.copytree(causal_folder, tmp_path / "other")
    settings = json.loads((other / "generation_config.json").read_text("utf-8"))
    (other / "generation_config.json").write_text(json.dumps({**settings, "eos_token_id": [0, 5]}), "utf-8")
    first, second = (
        open_model(parse_model(f"local:model={folder},device=cpu")).options.revision.split("+", 1)
        for folder in (causal_folder, other)
    )
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("float32+ends-0", "float32+ends-0-5")


def test_draws_depend_on_their_request_alone(causal_folder):
    model = open_model(parse_model(f"local:model={causal_folder},device=cpu,temperature=1"))
    first = [model.answer(request("rain", sample=number)).text for number in range(3)]
    again = [model.answer(request("rain", sample=number)).text for number in (2, 0, 1)]
    assert first == [again[1], again[2], again[0]]
    assert len(set(first)) == 3


def test_the_top_of_a_distribution_is_drawn_from():
    import torch

    from meta_eval.kernels.generate import choose_token

    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    source = torch.Generator().manual_seed(1)

    def drawn(top_p, top_k):
        return {choose_token(logits, 1.0, top_p, top_k, source) for _ in range(200)}

    assert drawn(1.0, None) == {0, 1, 2, 3}
    assert drawn(0.79, None) == {0, 1}
    assert drawn(1.0, 3) == {0, 1, 2}
    assert drawn(0.01, None) == {0}


def test_a_prompt_that_does_not_fit_is_missing_with_its_reason(causal_folder):
    from meta_eval.llm.asking import ask
    from meta_eval.llm.questions import Question

    model = open_model(parse_model(f"local:model={causal_folder},device=cpu"))
    (answer,) = ask([Question("long", request("rain " * 40))], model)
    assert answer.reason == "prompt too long"
    assert "the model takes 128" in answer.problem
    counted = open_model(parse_model(f"replay:model=m,tokenizer={causal_folder}"))
    assert counted.count_tokens([Message("user", "rain")]) == len("user: rain\nassistant: ")


def test_a_local_model_judges_in_a_persons_place_from_end_to_end(causal_folder, tmp_path):
    """Its answers are noise, so none can be read: each is counted as missing, and none as a choice."""
    texts = {"a": "Rain.", "b": "Sun."}
    lines = [
        {"person": who, "premise": f"Day {side}", **texts, "choices": {"ending": side}}
        for who in ("ann", "bob")
        for side in "ab"
    ]
    file = tmp_path / "comparisons.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    model = f"local:model={causal_folder},device=cpu,name=tiny"
    out = tmp_path / "out"
    typed = ("judge", "comparisons", file, "--model", model, "--brief", "--attempts", 1, "--resamples", 0)
    done = run(*typed, "--out", out)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads((out / "agreement.json").read_text("utf-8"))
    assert record["questions"] == record["missing"] == sum(record["left_out"].values()) == 2
    assert record["accuracy"]["estimate"] is None


def test_a_local_model_writes_headlines_with_every_style_from_end_to_end(tmp_path):
    """Real weights and a tokenizer, whose counts cut the prompts; each headline comes back as drawn."""
    folder = save_headline_writer(tmp_path / "writer")
    typed = ("generate", "fixtures/demo/corpus.jsonl", "--readers", "fixtures/demo/histories.jsonl")
    model = ("--model", f"local:model={folder},device=cpu,name=tiny", "--plan", "all", "--documents", 2)
    done = run(*typed, *model, "--out", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    records = json.loads((tmp_path / "out.llm.json").read_text("utf-8"))
    assert [record["system"] for record in records] == [f"tiny: {style}" for style in STYLES]
    assert {record["tokens"] for record in records} == {"counted by the model's own tokenizer"}
    assert [record["missing"] for record in records] == [{}] * 6
    assert all(record["asked"] == record["answered"] > 3 for record in records)
    made = read_jsonl(tmp_path / "out.jsonl").documents
    asked = [document for document in made if "tiny: 0-shot" in document.summaries]
    assert len(asked) == 2
    drawn = set()
    for style in STYLES:
        written = [text for document in asked for text in document.summaries[f"tiny: {style}"].values()]
        # The last character says after which label it was written.
        assert {text[-1] for text in written} == ({"1", "2"} if style in CONTRASTIVE else {"0"})
        drawn |= {text[:-2] for text in written}
    assert drawn == set(WRITTEN_HEADLINES)
