from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "survey_site.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        from celery.signals import worker_ready

        from survey_site.batches.services import batch_launched
        from survey_site.webhooks.watching import deliver_from_now_on, note_launch

        batch_launched.connect(note_launch, dispatch_uid="webhooks.note_launch")
        worker_ready.connect(deliver_from_now_on, dispatch_uid="webhooks.delivering")
