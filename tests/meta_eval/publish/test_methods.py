"""The methods paragraph and its details: the study's own numbers, and an entry for each work they cite."""

import re
from dataclasses import replace

import pytest

from meta_eval.measures import measure_ids
from meta_eval.publish.bibliography import MEASURE_WORKS, WHERE, WORKS, bibtex
from meta_eval.publish.methods import (
    count_words,
    details_in_words,
    methods_bibtex,
    methods_details,
    methods_paragraph,
)
from meta_eval.report.limits import limits_of_report
from meta_eval.report.primary import Primary
from tests.meta_eval.surveys import make_content, with_inference

PLAIN = make_content().report
REPORT = with_inference(make_content()).report


def test_the_details_hold_the_numbers_of_the_study():
    text = methods_details(REPORT)
    expected = [
        "corpus “News” (3 documents)",
        "3 questionnaires on 3 documents, with 12 pairs of texts",
        "one of 3 systems (Copy, Long & wide and Same_50%)",
        "seed of the plan: 7",
        "2 raters completed 6 questionnaires and gave 24 ratings from 1 to 6",
        "“How similar are the two texts?”",
        "at least 2 ratings, became the divergence (6 - r) / 5",
        "(alpha = 3.0, beta = 1.7, gamma = 4.0)",
        "200 resamples of documents (seed 0)",
    ]
    assert [phrase for phrase in expected if phrase not in text] == []


def test_every_measure_stands_with_every_option_of_its_signature():
    text = methods_details(REPORT)
    for entry in REPORT.signatures:
        options = (entry.signature.get("options") or {}).items()
        assert [name for name, value in options if f"{name} = {value}" not in text] == []


@pytest.mark.parametrize(
    ("shown", "sentence"),
    [
        (True, "Raters could read the document beside its pairs."),
        (False, "Raters saw the pairs alone, without the document."),
    ],
)
def test_it_says_whether_raters_saw_the_document_where_that_is_known(shown, sentence):
    report = replace(PLAIN, subject=PLAIN.subject | {"document_shown": shown})
    assert sentence in methods_paragraph(report)
    assert "the document" not in methods_paragraph(PLAIN).partition(" became ")[0]


def test_rater_agreement_is_that_of_the_report():
    text = methods_details(REPORT)
    for row in REPORT.inference.agreement.coefficients:
        assert (f"{row.title} {row.estimate or 0:.2f}" in text) is (row.estimate is not None)


def test_every_citation_has_an_entry_and_every_entry_is_cited():
    cited = set(re.findall(r"@(\w+)", methods_paragraph(REPORT) + methods_details(REPORT)))
    assert set(re.findall(r"^@\w+\{(\w+),", methods_bibtex(REPORT), flags=re.MULTILINE)) == cited
    assert {"vansh2023egises", "dasgupta2024perseval", "lin2004rouge", "lin1991divergence"} <= cited


def test_works_cited_together_share_a_bracket():
    assert "[@vansh2023egises; @dasgupta2024perseval]" in methods_details(REPORT)
    text = details_in_words(REPORT)
    assert any("(Vansh et al., 2023; Dasgupta et al., 2024)" in paragraph for paragraph in text)
    asked = replace(REPORT, subject=REPORT.subject | {"question": "[[alike]] or not?"})
    assert "[[alike]] or not?" in methods_details(asked)


def test_an_entry_has_what_is_certain_of_it_and_nothing_else():
    assert bibtex(["papineni2002bleu", "zhang2020bertscore"]) == (
        "@inproceedings{papineni2002bleu,\n"
        "  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},\n"
        "  title = {{Bleu: a Method for Automatic Evaluation of Machine Translation}},\n"
        "  booktitle = {Proceedings of the 40th Annual Meeting of the Association for Computational "
        "Linguistics},\n"
        "  pages = {311--318},\n"
        "  doi = {10.3115/1073083.1073135},\n"
        "  year = {2002}\n}\n"
        "\n"
        "@inproceedings{zhang2020bertscore,\n"
        "  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, "
        "Yoav},\n"
        "  title = {{BERTScore: Evaluating Text Generation with BERT}},\n"
        "  booktitle = {International Conference on Learning Representations},\n"
        "  url = {https://openreview.net/forum?id=SkeHuCVFDr},\n"
        "  year = {2020}\n}\n"
    )
    assert set(WHERE) <= set(WORKS)


ON_PAPER_ALONE = {"holm1979simple", "korn1984kendall", "taylor1987kendall"}
WITHOUT_PAGES = {"dasgupta2024perseval", "angelopoulos2023ppi", "zhang2020bertscore"}
"""Of a journal, an archive and a conference that number no pages."""


@pytest.mark.parametrize("key", [key for key, work in WORKS.items() if work.kind != "book"])
def test_every_entry_says_where_the_work_is_found(key):
    where = WHERE[key]
    assert key in WITHOUT_PAGES or where.keys() & {"pages", "volume"}
    assert key in ON_PAPER_ALONE or where.keys() & {"doi", "url"}
    if WORKS[key].kind == "article" and key not in WITHOUT_PAGES:
        assert "volume" in where


def test_without_statistics_none_are_claimed():
    text = methods_paragraph(PLAIN) + methods_details(PLAIN)
    assert "bootstrap" not in text
    assert "p-values" not in text
    assert "without intervals or tests." in text


@pytest.mark.parametrize(
    ("replacement", "words"),
    [(False, "A sample holds no document twice"), (True, "A sample may hold a document twice")],
)
def test_the_details_say_how_samples_of_documents_were_drawn(replacement, words):
    options = replace(REPORT.inference.options, stability_replacement=replacement)
    report = replace(REPORT, inference=replace(REPORT.inference, options=options))
    assert f"by all of them [@dasgupta2024perseval]. {words}" in methods_details(report)


@pytest.mark.parametrize(
    ("readers", "words"),
    [
        ("document", "all readers of the document."),
        ("rated", "the rated readers alone."),
        ("first", "the first reader of each pair"),
    ],
)
def test_whom_the_penalty_compares_is_said(readers, words):
    report = replace(PLAIN, options={**PLAIN.options, "edp_readers": readers})
    assert words in methods_details(report)


def test_of_ratings_alone_no_plan_is_told():
    left_out = tuple(replace(row, count=3) if row.what == "pairs_too_few" else row for row in PLAIN.left_out)
    planned = replace(PLAIN, left_out=left_out)
    assert "Of the planned pairs 3 were rated too seldom." in methods_paragraph(planned)
    assert "The survey planned 3 questionnaires" in methods_details(planned)
    alone = replace(planned, subject=PLAIN.subject | {"plan_known": False})
    paragraph, details = methods_paragraph(alone), methods_details(alone)
    assert "Of the pairs 3 were rated too seldom." in paragraph
    assert "How raters and pairs were sampled is not known." in paragraph
    assert "They rated 12 pairs of texts on 3 documents, each pair written for two readers" in details
    assert "(gold). How raters, documents and pairs were chosen is not known here." in details
    assert ("planned" in paragraph + details, "seed of the plan" in details) == (False, False)


def test_simulated_ratings_are_never_kept_quiet():
    ratings = {**PLAIN.ratings, "simulated_ratings": 24}
    report = replace(PLAIN, ratings=ratings)
    assert "24 were simulated by a program." in methods_details(report)
    assert "24 were simulated by a program)." in methods_paragraph(report)


def test_latex_is_escaped_and_cites():
    text = methods_details(REPORT, form="latex")
    assert r"\cite{vansh2023egises,dasgupta2024perseval}" in text
    assert r"Long \& wide and Same\_50\%" in text
    assert re.search(r"(?<!\\)[%&#]", text) is None


def test_no_folder_of_the_machine_is_told():
    entry = REPORT.signatures[0]
    signature = {**entry.signature, "model": "/srv/models/bert-tiny"}
    text = methods_details(replace(REPORT, signatures=(replace(entry, signature=signature),)))
    assert "model = bert-tiny" in text
    assert "/srv" not in text


def test_every_measure_that_was_published_has_its_paper():
    assert set(MEASURE_WORKS) == set(measure_ids()) - {"jsd-oov"}
    assert set(MEASURE_WORKS.values()) <= set(WORKS)


@pytest.mark.parametrize("key", WORKS)
def test_entries_are_whole(key):
    entry = bibtex([key])
    assert entry.startswith("@")
    assert entry.count("{") == entry.count("}")
    author, title, _, *more, year = re.findall(r"^  (\w+) = \{.+\},?$", entry, flags=re.MULTILINE)
    assert (author, title, year) == ("author", "title", "year")
    assert more == [name for name in ("volume", "number", "pages", "doi", "url") if name in more]


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        (
            ("hierarchical", "hierarchical"),
            "are of the coefficient of the systems' true scores, drawn from a normal hierarchical model "
            "[@everson2000inference] of the systems, whose noise is that of 200 resamples of documents (seed "
            "0); they take the systems for one normal population.",
        ),
        (
            ("hierarchical", "hierarchical-by-family"),
            "they take the systems for one normal population and those of ranks take each family of systems "
            "for a population of its own.",
        ),
        (("hierarchical", "hierarchical-wider"), "where scores show groups of systems, or hardly "),
        (("bca", "percentile"), "are BCa and percentile bootstrap intervals [@efron1987better] from "),
        (("fisher", "esscher"), "about other systems rest on Esscher's variance of tau and Fisher's z."),
    ],
)
def test_intervals_are_named_as_they_were_made(methods, sentence):
    rows = (replace(row, ci_method=methods[row.coefficient != "pearson"]) for row in REPORT.correlations)
    text = methods_details(replace(REPORT, correlations=tuple(rows)))
    assert sentence in text
    assert ("[@efron1987better]" in text) == ("bca" in methods)
    assert ("[@everson2000inference]" in text) == methods[0].startswith("hierarchical")


def test_families_are_said_with_what_they_explain():
    families = {"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"}
    report = with_inference(make_content(), families=families).report
    text = methods_details(report)
    assert (
        "Systems fall into families (personalised = Copy, Long & wide; one for all = Same_50%); p within "
        "families permutes systems within their family (exact)" in text
    )
    assert "[@korn1984kendall; @taylor1987kendall]" in text
    assert "explained by the families alone" not in text
    rows = tuple(replace(row, families_explain=row.measure == "jsd") for row in report.correlations)
    marked = methods_details(replace(report, correlations=rows))
    count = sum(row.measure == "jsd" for row in rows)
    assert (
        f"Of {len(rows)} coefficients, {count} with p of at most 0.05 over all systems may be explained"
        in marked
    )
    assert "(one text for all readers = Same_50%" not in text
    found = methods_details(REPORT)  # one of its systems writes one text for all readers
    assert "one text for all readers = Same_50%), found since some systems write one text for" in found
    assert "korn1984kendall" not in methods_details(PLAIN)


def test_each_signature_stands_on_a_line_of_its_own_to_paste_once():
    text = methods_details(REPORT)
    lines = list(dict.fromkeys(entry.line for entry in REPORT.signatures))
    assert f"Signatures of the measures: {'; '.join(lines)}." in text
    assert text.count(lines[0]) == 1


DECLARED = Primary(
    coefficient="kendall",
    surrogate="rouge-l",
    declared_at="2026-03-03T09:00:00+00:00",
    ratings=12,
    planned=24,
)
LONG = "How similar are these two texts in everything that they say about what has happened?"


def study(report=REPORT, *, primary=None, **parts):
    """The report with other parts, on a survey whose every sentence is as long as it gets."""
    options = replace(report.inference.options, primary=primary)
    inference = replace(report.inference, options=options)
    ratings = {**report.ratings, "simulated_ratings": 24}
    left_out = tuple(replace(row, count=3) for row in report.left_out)
    return replace(report, inference=inference, ratings=ratings, left_out=left_out, **parts)


STUDIES = {
    "without statistics": PLAIN,
    "few systems": REPORT,
    "answered": replace(REPORT, answer=replace(REPORT.answer, answerable=True, reasons=())),
    "declared": study(primary=DECLARED),
    "uploaded": study(subject={**REPORT.subject, "question": LONG, "source_file": "x", "source_hash": "y"}),
    "other options": study(options={**REPORT.options, "alpha": 1.0, "beta": 2.0, "normalise": "none"}),
    "many measures": study(
        with_inference(
            make_content(
                measures=("rouge-l", "jsd", "bleu", "rouge-su4", "meteor"), surrogates=("jsd", "bleu")
            )
        ).report
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_paragraph_has_120_to_180_words_and_no_zeros(name):
    text = methods_paragraph(STUDIES[name])
    assert 120 <= count_words(text) <= 180
    assert "\n" not in text.strip()
    assert re.findall(r"(?<![\w.,])0 [a-z]+", text) == []


@pytest.mark.parametrize("name", STUDIES)
def test_the_paragraph_leads_to_where_the_intervals_hold_less_often(name):
    report = STUDIES[name]
    limits = limits_of_report(report)
    listed_there = "options and limits" if limits else "every option"
    assert f"The appendix lists {listed_there} (meta_eval " in methods_paragraph(report)
    assert [limit for limit in limits if limit not in methods_details(report)] == []


def test_what_has_no_room_is_left_out_before_what_a_reviewer_needs():
    short, full = methods_paragraph(PLAIN), methods_paragraph(STUDIES["uploaded"])
    assert "“How similar are the two texts?”" in short
    assert LONG not in full
    for words in (
        "They were collected elsewhere; how they were sampled is not known.",
        "24 were simulated by a program",
        "The ratings carry no answer: only 3 systems were compared",
        "No primary coefficient was declared; all are exploratory.",
    ):
        assert words in full


def test_the_paragraph_says_why_the_ratings_carry_no_answer_and_only_then():
    assert "carry no answer" not in methods_paragraph(STUDIES["answered"])
    assert "carry no answer: only 3 systems" in methods_paragraph(REPORT)


def test_the_declared_coefficient_is_named():
    assert (
        "Kendall's tau of DEGRESS with DEGRESS-HJ by ROUGE-L was declared as primary on 3 March 2026, after "
        "12 of 24 ratings." in methods_paragraph(STUDIES["declared"])
    )


def test_what_was_left_out_is_counted_without_zeros():
    rows = [replace(row, count=2 * (row.what == "pairs_unrated")) for row in REPORT.left_out]
    report = replace(REPORT, left_out=tuple(rows))
    assert "Left out or set apart: 2 planned pairs that nobody has rated yet." in methods_details(report)
    assert "Of the planned pairs 2 were not rated." in methods_paragraph(replace(report, inference=None))
