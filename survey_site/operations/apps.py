from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "survey_site.operations"
    label = "operations"

    def ready(self) -> None:
        from celery.signals import celeryd_after_setup, worker_ready, worker_shutdown

        from survey_site.operations.in_use import show_use
        from survey_site.operations.presence import leave, show_from_now_on

        celeryd_after_setup.connect(show_use, dispatch_uid="operations.in_use")
        worker_ready.connect(show_from_now_on, dispatch_uid="operations.presence")
        worker_shutdown.connect(leave, dispatch_uid="operations.leave")
