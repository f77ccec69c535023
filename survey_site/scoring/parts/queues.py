"""Which queues this process takes work from."""

from celery import current_app

from survey_site.settings.queues import GPU


def may_take(queue: str) -> bool:
    """Whether this process may compute parts that wait in `queue`.

    Parts that wait for a GPU are left to the workers that serve its queue; a process that is no worker, such
    as `manage.py build_reports`, computes all.
    """
    return queue != GPU or queue in current_app.amqp.queues.consume_from
