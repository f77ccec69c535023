"""What a plan will cost and buy."""

import re
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils.html import escape

from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.raters.precision import Assumptions
from survey_site.common.errors import InvalidInputError
from survey_site.desk.quality.precision_plot import advise, plot_widths
from survey_site.quality.precision import assumptions_from, compare_options
from survey_site.survey.simulation import simulate_raters
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    return make_batch(corpus=make_corpus(documents=8, systems=5), launched=False, raters=2)


def test_options_stand_around_the_plan(draft):
    options = compare_options(draft, Assumptions(), rate=10.0)
    designs = [(one.documents, one.raters, one.planned, one.in_corpus) for one in options]
    assert designs == [
        (4, 2, False, True),
        (8, 2, True, True),
        (16, 2, False, False),
        (32, 2, False, False),
        (8, 3, False, True),
        (8, 4, False, True),
    ]
    check_plot_and_advice(options)
    for coefficient in COEFFICIENTS:
        widths = [one.precision[coefficient].width for one in options]
        half, planned, twice, fourfold, third, fourth = widths
        assert half > planned > twice > fourfold
        assert planned > third > fourth
        chances = [one.power[coefficient].coefficient for one in options]
        assert chances[0] < chances[3]
        assert {one.power[coefficient].difference for one in options} == {0.0}  # of five systems none is told
    assert options[1].effort.ratings == 8 * 6 * 2
    assert options[2].cost == pytest.approx(2 * options[1].cost)


def test_a_correlation_over_two_systems_is_not_simulated():
    with pytest.raises(InvalidInputError, match="fewer than 3 systems"):
        compare_options(make_batch(launched=False), Assumptions())


def test_an_earlier_batch_gives_the_assumptions(draft):
    earlier = make_batch(corpus=draft.corpus, systems_per_questionnaire=5)
    with pytest.raises(InvalidInputError, match="0 pairs have two ratings"):
        assumptions_from(earlier, correlation=0.5)
    simulate_raters(batch=earlier, raters=4, completion=1.0, seed=1, now=NOW, judge=judge_by_system)
    found = assumptions_from(earlier, correlation=0.5)
    assert found.correlation == 0.5
    assert found.system_sd > 0
    assert found.error_sd > 0


def check_plot_and_advice(options):
    """Further right costs more, further up is wider, and words say the same as the rows."""
    plot = plot_widths(options, "kendall")
    by_hours = sorted(options, key=lambda one: one.effort.hours)
    assert [mark.x / 600 * plot.most_hours for mark in plot.marks] == pytest.approx(
        [one.effort.hours for one in by_hours]
    )
    assert [(1 - mark.y / 150) * plot.most_width for mark in plot.marks] == pytest.approx(
        [one.precision["kendall"].width for one in by_hours]
    )
    assert [mark.kind for mark in plot.marks if mark.kind != "documents"] == ["plan", "raters", "raters"]
    assert plot.line.count(",") == 4
    buys, goes_farthest, *larger, found = advise(options, "kendall")
    planned = options[1]
    assert [text[:29] for text in larger] in ([], ["A larger corpus would do more"])
    assert f"{planned.effort.hours:.1f} hours" in buys
    assert f"{planned.precision['kendall'].width:.2f} wide" in buys
    assert goes_farthest.startswith("To narrow it, an hour goes farthest with ")
    assert found.endswith("add systems, which do more here than documents or raters.")


@pytest.mark.parametrize(
    ("powers", "documents_there", "end"),
    [
        ([0.2, 0.9, 0.95, 0.99, 0.95, 0.96], 32, ": enough by the usual measure of 80 %."),
        ([0.2, 0.6, 0.85, 0.99, 0.7, 0.9], 32, "; 16 documents and 2 raters each reach 80 %."),
        ([0.2, 0.6, 0.85, 0.99, 0.7, 0.9], 8, "; 8 documents and 4 raters each reach 80 %."),
        (
            [0.2, 0.6, 0.85, 0.99, 0.7, 0.7],
            8,
            "; 16 documents and 2 raters each reach 80 %, more documents than this corpus has.",
        ),
    ],
)
def test_advice_names_the_cheapest_design_that_finds_what_is_there(powers, documents_there, end):
    sizes = [(4, 2), (8, 2), (16, 2), (32, 2), (8, 3), (8, 4)]
    options = [
        SimpleNamespace(
            documents=documents,
            raters=raters,
            planned=(documents, raters) == (8, 2),
            in_corpus=documents <= documents_there,
            effort=SimpleNamespace(hours=float(documents * raters)),
            precision={"kendall": SimpleNamespace(width=1 / (documents * raters))},
            power={"kendall": SimpleNamespace(coefficient=power)},
        )
        for (documents, raters), power in zip(sizes, powers, strict=True)
    ]
    buys, goes_farthest, found = advise(options, "kendall")
    assert buys == "As planned, 16.0 hours of raters' time give Kendall’s τ-b a range that is 0.06 wide."
    assert goes_farthest == (
        "To narrow it, an hour goes farthest with 8 documents and 3 raters each: 24.0 hours, a width of 0.04."
    )
    assert found == f"The plan finds the correlation above 0 with a chance of {100 * powers[1]:.0f} %{end}"


def test_advice_speaks_of_a_larger_corpus_apart():
    widths = {(8, 2): 0.5, (16, 2): 0.3, (8, 3): 0.4}
    options = [
        SimpleNamespace(
            documents=documents,
            raters=raters,
            planned=(documents, raters) == (8, 2),
            in_corpus=documents == 8,
            effort=SimpleNamespace(hours=float(documents * raters)),
            precision={"kendall": SimpleNamespace(width=width)},
            power={"kendall": SimpleNamespace(coefficient=0.9)},
        )
        for (documents, raters), width in widths.items()
    ]
    _, here, larger, _ = advise(options, "kendall")
    assert here.endswith("farthest with 8 documents and 3 raters each: 24.0 hours, a width of 0.40.")
    assert larger == (
        "A larger corpus would do more: 16 documents and 2 raters each: 32.0 hours, a width of 0.30."
    )


def judge_by_system(first, _second):
    """Higher for systems of a higher number, which stands in the summary; gold highest."""
    words = first.split()
    return 0.1 + 0.15 * int(words[-2]) if words[0] == "summary" else 0.9


def test_the_page_shows_the_table_and_says_what_is_wrong(researcher_client, draft):
    url = reverse("quality:precision", args=[draft.pk])
    page = researcher_client.get(url)
    assert len(page.context["options"]) == 6
    assert page.content.count(b">as planned<") == len(COEFFICIENTS)
    assert b"Chance to tell it from the second" in page.content
    content = page.content.decode()
    assert content.count("plot__mark--plan") == 1
    spoken = content.split("What to do</h2>")[1].split("</ul>")[0]
    assert re.findall("<li>(.*?)</li>", spoken) == [escape(one) for one in page.context["advice"]]
    assert (
        f'<desc id="widths-words">{"; ".join(mark.label for mark in page.context["plot"].marks)}.</desc>'
        in content
    )
    query = {"correlation": "0.5", "other": "0.1", "system_sd": "0.4", "interaction_sd": "1", "error_sd": "1"}
    answer = researcher_client.get(url, query)
    assert answer.context["assumptions"] == Assumptions(0.4, 1.0, 1.0, 0.5, 0.1)
    first = answer.context["options"][0].power["pearson"].coefficient
    found = f'data-head="Chance to find it above 0">{100 * first:.0f} %</td>'
    assert found in answer.content.decode()
    impossible = researcher_client.get(url, query | {"correlation": "0.9", "between": "0.9"})
    assert (impossible.status_code, b"cannot agree 0.9" in impossible.content) == (422, True)
    assert researcher_client.get(url, query | {"correlation": "2"}).status_code == 422
    empty = make_batch(corpus=draft.corpus)
    refused = researcher_client.get(url, query | {"earlier": empty.pk})
    assert (refused.status_code, b"cannot tell" in refused.content) == (422, True)


def test_presets_fill_in_the_published_designs(admin_client):
    corpus = make_corpus()
    url = reverse("batches:new", query={"corpus": corpus.pk, "preset": "icopernicus"})
    form = admin_client.get(url).context["form"]
    names = ("reader_pairs", "systems_per_questionnaire", "raters")
    assert [form[name].value() for name in names] == [3, 9, 1]
    url = reverse("batches:new", query={"corpus": corpus.pk, "preset": "perseval"})
    form = admin_client.get(url).context["form"]
    assert [form[name].value() for name in names] == [1, 5, 2]
