"""Which queues this process takes work from."""

from celery import current_app

from survey_site.settings.queues import GPU


def may_take(queue: str) -> bool:
    """Whether this process may compute parts that wait in `queue`.

    Parts that wait for a GPU are left to the workers that serve its queue; a process that is no worker, such
    as `manage.py build_reports`, computes all.
    """
    return queue != GPU or serves(queue)


def serves(queue: str) -> bool:
    """Whether messages of `queue` come to this process. Of one that is no worker it says yes of all."""
    return queue in current_app.amqp.queues.consume_from
