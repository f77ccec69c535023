"""The rules for what scores may be asked for; services call them, views and forms show what they raise."""

from django.core.exceptions import ValidationError

from meta_eval.measures.neural import NeuralMeasure
from meta_eval.measures.registry import measure_class
from meta_eval.report.options import measure_id
from survey_site.batches.models import Batch
from survey_site.scoring.adapters import MeasureChoice


def validate_without_model(choice: MeasureChoice) -> MeasureChoice:
    """For a process that answers requests: the run's key names the model, which has to be found first.

    Finding it may fetch it from elsewhere, and tells which folders there are. A report leaves that to a
    worker. Nothing is looked for here. Raises ValidationError for a measure over a model.
    """
    if issubclass(measure_class(measure_id(choice.spec), choice.mode), NeuralMeasure):
        raise ValidationError(
            {
                "measure": f"{measure_id(choice.spec)} computes with a model, which workers alone look for: "
                "ask for a report with this measure."
            }
        )
    return choice


def validate_min_raters(min_raters: int | None, batch: Batch) -> int:
    """The least number of ratings a pair needs; the planned number by default."""
    if min_raters is None:
        return batch.raters
    if not 1 <= min_raters <= batch.raters:
        planned, wanted = f"{batch.raters} raters", f"a number from 1 to {batch.raters}"
        if batch.raters == 1:
            planned, wanted = "1 rater", "1"
        raise ValidationError({"min_raters": f"This batch plans {planned} a pair: give {wanted}."})
    return min_raters
