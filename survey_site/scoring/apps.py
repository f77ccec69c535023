from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "survey_site.scoring"
    label = "scoring"

    def ready(self) -> None:
        from survey_site.scoring.services import forget_rater
        from survey_site.survey.rating.leaving import rater_withdrawn

        rater_withdrawn.connect(forget_rater, dispatch_uid="scoring.forget_rater")
