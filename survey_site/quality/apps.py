from django.apps import AppConfig


class QualityConfig(AppConfig):
    name = "survey_site.quality"
    label = "quality"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from survey_site.quality.freezing import forget_rater
        from survey_site.quality.kept import forget_findings_of
        from survey_site.quality.noticing import forget_notices_of
        from survey_site.quality.panel_events import forget_panel_events_of
        from survey_site.survey.rating.leaving import rater_withdrawn

        rater_withdrawn.connect(forget_rater, dispatch_uid="quality.forget_rater")
        rater_withdrawn.connect(forget_notices_of, dispatch_uid="quality.forget_notices_of")
        rater_withdrawn.connect(forget_findings_of, dispatch_uid="quality.forget_findings_of")
        rater_withdrawn.connect(forget_panel_events_of, dispatch_uid="quality.forget_panel_events_of")
