"""The fields by which an admin declares the primary coefficient of a batch."""

from typing import Any, cast

from django import forms

from meta_eval.measures import available_measures
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import AS_SHOWN, REGISTRY
from survey_site.batches.models import Batch
from survey_site.batches.primary import PrimaryChoice
from survey_site.corpus.models import Corpus
from survey_site.desk.batches.form_parts import ServiceForm
from survey_site.scoring.given.queries import distances_of

_NONE = ("", "None")


def _surrogates() -> list[tuple[str, str]]:
    return [_NONE, *((info.id, info.title) for info in available_measures())]


def offer_distances(form: "PrimaryFields", corpus: Corpus) -> None:
    """Add the corpus's distances from outside to the surrogates, and what is declared, should it be gone."""
    field = cast(forms.ChoiceField, form.fields["primary_surrogate"])
    names = list(distances_of(corpus).order_by("name").values_list("name", flat=True))
    offered = [*_surrogates(), *((name, f"{name} (distances from outside)") for name in names)]
    standing = form.initial.get("primary_surrogate", "")
    if standing not in dict(offered):
        offered.append((standing, f"{standing} (no longer there)"))
    field.choices = offered


class PrimaryFields(ServiceForm):
    """A coefficient, a score and a surrogate: together one family of tests, a test a measure."""

    primary_coefficient = forms.ChoiceField(
        label="Coefficient",
        required=False,
        choices=[_NONE, *((name, REGISTRY[name].title) for name in AS_SHOWN)],
        help_text="Reports answer by it and adjust p over its measures alone.",
    )
    primary_surrogate = forms.ChoiceField(
        label="Surrogate",
        required=False,
        choices=_surrogates,
        help_text="Tick it in reports, too: a report without it has no primary coefficient.",
    )
    primary_score = forms.ChoiceField(
        label="Score",
        required=False,
        initial="degress",
        choices=[(name, SCORES[name].title) for name in ("degress", "perseval")],
        help_text="DEGRESS holds nothing but human input on the human side.",
    )

    def primary(self) -> PrimaryChoice:
        """What is declared; a score alone is nothing."""
        data = self.cleaned_data
        coefficient, surrogate = data["primary_coefficient"], data["primary_surrogate"]
        score = data["primary_score"] if coefficient and data["primary_score"] else "degress"
        return PrimaryChoice(coefficient=coefficient, score=score, surrogate=surrogate)


def initial_primary(batch: Batch) -> dict[str, Any]:
    """The declaration that stands, as the form shows it."""
    standing = batch.primary
    if standing is None:
        return {}
    names = ("coefficient", "surrogate", "score")
    return {f"primary_{name}": getattr(standing, name) for name in names}
