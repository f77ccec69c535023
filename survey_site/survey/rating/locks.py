"""What every move of an assignment locks, in this order: the rater's row, the questionnaire's, its own."""

from django.db.models import QuerySet

from survey_site.batches.models import Batch, Questionnaire
from survey_site.common.locking import locked
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Assignment
from survey_site.survey.people.presence import lock_rater


def lock_questionnaire(questionnaire_id: int) -> Questionnaire:
    """The questionnaire under its lock, and its batch as it is once the lock is had."""
    questionnaire = _locked_questionnaires.get(questionnaire=questionnaire_id)
    questionnaire.batch = _batches.get(batch=questionnaire.batch_id)
    return questionnaire


@prepared
def _locked_questionnaires(questionnaire: Parameter) -> QuerySet[Questionnaire]:
    return locked(Questionnaire.objects.filter(pk=questionnaire).order_by())


@prepared
def _batches(batch: Parameter) -> QuerySet[Batch]:
    return Batch.objects.filter(pk=batch).order_by()


def lock_assignment(assignment: Assignment) -> Assignment:
    """The assignment as it is now, locked, and its questionnaire: that lock covers all slots."""
    rater = lock_rater(assignment.rater_id)
    questionnaire = lock_questionnaire(assignment.questionnaire_id)
    fresh = _locked_assignments.get(assignment=assignment.pk)
    fresh.rater = rater
    fresh.questionnaire = questionnaire
    return fresh


@prepared
def _locked_assignments(assignment: Parameter) -> QuerySet[Assignment]:
    return locked(Assignment.objects.filter(pk=assignment).order_by())
