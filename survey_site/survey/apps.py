from django.apps import AppConfig


class SurveyConfig(AppConfig):
    name = "survey_site.survey"
    label = "survey"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from survey_site.batches.services import raters_added
        from survey_site.survey.rating.marks import settle_batch

        raters_added.connect(settle_batch, dispatch_uid="survey.settle_batch")
