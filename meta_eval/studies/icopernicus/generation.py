"""A model's headlines with each prompt style: from a plan to questions, and from answers to a corpus.

The corpus keeps what it had and gets a system for each model and style, named MODEL: STYLE. A headline that
nobody could read is absent, never empty; what was asked and what came of it stands in a record of each run.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.readers import Readers, histories_of
from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.models import Model
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers
from meta_eval.llm.signing import digest_of, model_signature
from meta_eval.measures.base import Signature
from meta_eval.measures.signatures import signature_line
from meta_eval.scores.prompt_styles import CONTRASTIVE, SHOTS, styled_name
from meta_eval.studies.icopernicus.options import GenerationOptions, Several
from meta_eval.studies.icopernicus.plans import (
    Case,
    Plan,
    draw_documents,
    plan_contrastive,
    plan_plain,
)
from meta_eval.studies.icopernicus.shots import (
    Ask,
    completion_request,
    dialogue_request,
    hold_dialogues,
)
from meta_eval.studies.icopernicus.styles import (
    LeftOutError,
    PromptMaker,
    styles_digest,
    text_counter,
)

MEASURE = "generated-headlines"
DEFAULTS: Mapping[str, Any] = {"temperature": 0.6, "top_k": 16}
"""What is set of a model unless the user says otherwise: as the paper's authors had it."""


@dataclass(frozen=True, slots=True)
class StyleQuestions:
    """The questions of one style: `asked` has each question's case; `left_out` cases without, by reason."""

    style: str
    adversarial: bool
    plan: Plan
    asked: tuple[tuple[Case, Question], ...]
    left_out: Mapping[str, int]
    before: tuple[Answer, ...] = field(default=())
    """What the model said of examples before these questions, in dialogues."""
    histories_digest: str = ""
    """Of what readers read before: plans and prompts rest on it."""


@dataclass(frozen=True, slots=True)
class GeneratedStyle:
    """One system: its `name`, its texts by document and reader, and the record of how they came about."""

    name: str
    texts: Mapping[str, Mapping[str, str]]
    record: Mapping[str, Any]


def style_questions(
    corpus: Corpus, readers: Readers, model: Model, options: GenerationOptions, ask: Ask | None = None
) -> list[StyleQuestions]:
    """The questions of every style for one model, whose own tokens are counted.

    Dialogues ask before their last question, which depends on the answers.

    Parameters
    ----------
    corpus : Corpus
    readers : mapping
        What each reader read before.
    model : Model
        Whose own tokens are counted.
    options : GenerationOptions
        Which styles, readers and documents.
    ask : function, optional
        Answers what dialogues ask; where it gives None they are at that step, and its questions are theirs.

    Returns
    -------
    list of StyleQuestions

    Raises
    ------
    InputError
        Where a style has no question at all.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.corpus.readers import ReaderHistory
    >>> from meta_eval.llm.models import ReplayModel, parse_model
    >>> own = [{name: f"rain for {name} on day {at}" for name in ("ann", "bob")} for at in range(9)]
    >>> corpus = Corpus(tuple(Document(f"d{at}", "", "Rain.", texts) for at, texts in enumerate(own)))
    >>> readers = {name: ReaderHistory(name, ("Frost.",)) for name in ("ann", "bob")}
    >>> model, options = ReplayModel(parse_model("replay:model=m")), GenerationOptions(styles=("0-shot",))
    >>> (found,) = style_questions(corpus, readers, model, options)
    >>> found.style, len(found.asked)
    ('0-shot', 6)
    """
    plans = {
        "plain": plan_plain(corpus, readers, plan=options.plan, seed=options.seed),
        "contrastive": plan_contrastive(corpus, plan=options.plan, seed=options.seed),
        "shots": plan_plain(corpus, readers, plan=options.plan, seed=options.seed, examples=options.examples),
    }
    if options.documents is not None:
        wanted = {_kind(style) for style in options.styles}
        chosen = draw_documents(
            (plans[kind] for kind in sorted(wanted)), options.documents, seed=options.seed
        )
        plans = {kind: plan.only(chosen) for kind, plan in plans.items()}
    count = text_counter(model.count_tokens)
    maker = PromptMaker(corpus, readers, count, history=options.history, seed=options.seed)
    told = digest_of(histories_of(readers))
    found = [
        replace(one, histories_digest=told)
        for style, adversarial in options.runs
        for one in (
            _dialogues(maker, plans["shots"], ask)
            if style == "dialogue"
            else _questions(maker, style, plans[_kind(style)], adversarial=adversarial),
        )
    ]
    for one in found:
        if not one.asked:
            name = _name(one, model, options)
            raise InputError(
                f"{name} has no question to ask: {reasons_in_words({**one.plan.dropped, **one.left_out})}"
            )
    return found


def _kind(style: str) -> str:
    """Which plan a style follows."""
    if style in SHOTS:
        return "shots"
    return "contrastive" if style in CONTRASTIVE else "plain"


def _name(questions: StyleQuestions, model: Model, options: GenerationOptions) -> str:
    return styled_name(
        model.options.title,
        questions.style,
        adversarial=questions.adversarial,
        examples=options.examples,
    )


def reasons_in_words(counts: Mapping[str, int]) -> str:
    """How often each reason stands, for a message."""
    return "; ".join(f"{count:,} times {reason}" for reason, count in counts.items()) or "the plan is empty"


def _questions(maker: PromptMaker, style: str, plan: Plan, *, adversarial: bool) -> StyleQuestions:
    asked: list[tuple[Case, Question]] = []
    left_out: Counter[str] = Counter()
    for case in plan.cases:
        try:
            if style == "k-shot":
                request = completion_request(maker, case)
            else:
                request = maker.request(style, case, adversarial=adversarial)
        except LeftOutError as reason:
            left_out[str(reason)] += 1
            continue
        key = "\x1f".join((style, str(adversarial), case.target, *case.readers))
        asked.append((case, Question(key, request)))
    return StyleQuestions(style, adversarial, plan, tuple(asked), dict(left_out))


def _dialogues(maker: PromptMaker, plan: Plan, ask: Ask | None) -> StyleQuestions:
    """The last question of each conversation, or those of the step that nobody has answered yet."""
    if ask is None:
        raise ValueError("dialogues are asked in steps: say who answers them")
    held = hold_dialogues(maker, plan.cases, ask)
    asked = held.waiting or [
        (case, Question("\x1f".join(("dialogue", case.target, *case.readers)), request))
        for case, said in held.said.items()
        for request in (dialogue_request(maker, case, said),)
    ]
    return StyleQuestions("dialogue", False, plan, tuple(asked), held.left_out, held.answers)


def generate_style(
    questions: StyleQuestions,
    model: Model,
    ask: Callable[[Iterable[Question]], Iterable[Answer]],
    options: GenerationOptions,
    *,
    attempts: int,
) -> GeneratedStyle:
    """One style's headlines by one model.

    Parameters
    ----------
    questions : StyleQuestions
        Of `style_questions`, for this model.
    model : Model
    ask : function
        From questions to their answers, in order.
    options : GenerationOptions
        With which the questions were made.
    attempts : int
        How often an unreadable reply is asked for, for the signature.

    Returns
    -------
    GeneratedStyle
        The same whether replies are new or were kept.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.corpus.readers import ReaderHistory
    >>> from meta_eval.llm.asking import Asking
    >>> from meta_eval.llm.models import ReplayModel, parse_model
    >>> own = [{name: f"rain for {name} on day {at}" for name in ("ann", "bob")} for at in range(9)]
    >>> corpus = Corpus(tuple(Document(f"d{at}", "", "Rain.", texts) for at, texts in enumerate(own)))
    >>> readers = {name: ReaderHistory(name, ("Frost.",)) for name in ("ann", "bob")}
    >>> model, options = ReplayModel(parse_model("replay:model=m")), GenerationOptions(styles=("0-shot",))
    >>> (asked,) = style_questions(corpus, readers, model, options)
    >>> made = generate_style(asked, model, lambda own: Asking(own, model), options, attempts=1)
    >>> made.name, made.texts
    ('m: 0-shot', {})
    """
    answers = list(ask([question for _, question in questions.asked]))
    cases = [case for case, _ in questions.asked]
    texts, several = _texts_of(cases, answers, options.several)
    name = _name(questions, model, options)
    signature = _signature(questions, model, options, attempts)
    counted = count_answers(answers)
    record = {
        "system": name,
        "model": model.options.model,
        "style": questions.style,
        "adversarial": questions.adversarial,
        "plan": options.plan,
        "several": options.several,
        "history": options.history,
        "documents": options.documents,
        "seed": options.seed,
        "tokens": model.counting,
        **({"examples": options.examples} if questions.style in SHOTS else {}),
        **({"said_before": count_answers(questions.before)} if questions.before else {}),
        "planned": len(questions.plan.cases),
        "not_planned": dict(questions.plan.dropped),
        "left_out": dict(questions.left_out),
        "asked": counted["questions"],
        "answered": counted["answered"],
        "missing": counted["left_out"],
        **{name: counted[name] for name in ("prompt_tokens", "completion_tokens", "fingerprints")},
        "texts": sum(map(len, texts.values())),
        "several_dropped": several,
        "signature": signature.as_dict(),
        "signature_line": signature_line(signature),
    }
    return GeneratedStyle(name, texts, record)


def _texts_of(
    cases: Sequence[Case], answers: Sequence[Answer], several: Several
) -> tuple[dict[str, dict[str, str]], int]:
    """Texts by document and reader, and how many others there were for the same document and reader.

    The authors' released code keeps the last row, where all rows of first readers come before all of second
    ones; `first` keeps the first in the order of the plan.
    """
    rows: list[tuple[int, str, str, str]] = []
    for case, answer in zip(cases, answers, strict=True):
        if isinstance(answer.value, Mapping):
            heads = zip(case.readers, answer.value.values(), strict=True)
            rows += [
                (place, case.target, reader, text)
                for place, (reader, text) in enumerate(heads)
                if reader in case.wanted
            ]
    if several == "last":
        rows = sorted(rows, key=lambda row: row[0])[::-1]
    texts: dict[str, dict[str, str]] = {}
    for _, target, reader, text in rows:
        texts.setdefault(target, {}).setdefault(reader, text)
    return texts, len(rows) - sum(map(len, texts.values()))


def _signature(
    questions: StyleQuestions, model: Model, options: GenerationOptions, attempts: int
) -> Signature:
    """All on which the headlines depend; how tokens were counted decides where prompts are cut."""
    return model_signature(
        MEASURE,
        model.options,
        {
            "style": questions.style,
            "adversarial": questions.adversarial,
            "plan": options.plan,
            "plan_seed": options.seed,
            "several": options.several,
            "history": options.history,
            "histories_digest": questions.histories_digest,
            "documents": options.documents,
            "attempts": attempts,
            "max_tokens": max(question.request.max_tokens for _, question in questions.asked),
            "prompt_digest": styles_digest([questions.style])[:16],
            "tokens": model.counting,
            "examples": options.examples if questions.style in SHOTS else None,
        },
    )
