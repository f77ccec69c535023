from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "survey_site.reports"
    label = "reports"

    def ready(self) -> None:
        from celery.signals import worker_ready

        from survey_site.reports.bundles.kept import forget_bundles_of
        from survey_site.reports.noticing import look_from_now_on
        from survey_site.reports.rescue import watch_from_now_on
        from survey_site.reports.scores import report_waits
        from survey_site.reports.tasks import send_waiting_reports
        from survey_site.scoring.parts.joining import run_ended
        from survey_site.scoring.parts.turns import asks_for_work
        from survey_site.survey.rating.leaving import rater_withdrawn

        rater_withdrawn.connect(forget_bundles_of, dispatch_uid="reports.forget_bundles_of")
        asks_for_work.connect(report_waits, dispatch_uid="reports.report_waits")
        run_ended.connect(send_waiting_reports, dispatch_uid="reports.send_waiting")
        worker_ready.connect(watch_from_now_on, dispatch_uid="reports.rescue")
        worker_ready.connect(look_from_now_on, dispatch_uid="reports.noticing")
