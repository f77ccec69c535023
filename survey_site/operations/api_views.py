"""What the status page shows, for programs of admins."""

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView
from survey_site.operations.findings import State
from survey_site.operations.queries import jobs_by_kind, jobs_to_look_at, living, workers_seen
from survey_site.operations.status import database_is_fine, look_at_site


class FindingShape(serializers.Serializer):
    subject = serializers.CharField()
    state = serializers.ChoiceField(
        choices=[one.value for one in State], help_text="A fault keeps people or reports from going on."
    )
    message = serializers.CharField()
    action = serializers.CharField(allow_blank=True)


class WorkerShape(serializers.Serializer):
    name = serializers.CharField()
    queues = serializers.CharField(help_text="With commas between.")
    version = serializers.CharField()
    seen_at = serializers.DateTimeField()
    lives = serializers.BooleanField()


class JobsShape(serializers.Serializer):
    kind = serializers.CharField()
    title = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="By state.")
    oldest = serializers.DictField(child=serializers.FloatField(), help_text="Seconds, by state.")


class JobShape(serializers.Serializer):
    name = serializers.CharField()
    address = serializers.CharField()
    status = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class StatusShape(serializers.Serializer):
    findings = FindingShape(many=True)
    workers = WorkerShape(many=True, help_text="None where the database does not answer; so with jobs.")
    kinds = JobsShape(many=True)
    jobs = JobShape(many=True, help_text="What runs, then what failed last.")


class Status(ApiView):
    scopes = {"GET": Scope.STATUS}

    @extend_schema(
        operation_id="read_status",
        summary="How the site itself is: database, disk, broker, workers, queues, jobs",
        responses=StatusShape,
    )
    def get(self, request: Request) -> Response:
        now = request._request.now
        found: dict[str, Any] = {"findings": list(look_at_site(now=now))}
        found |= {"workers": [], "kinds": [], "jobs": []}
        if database_is_fine(found["findings"]):
            workers = workers_seen()
            alive = {one.pk for one in living(workers, now)}
            names = ("name", "queues", "version", "seen_at")
            found["workers"] = [
                {**{name: getattr(one, name) for name in names}, "lives": one.pk in alive} for one in workers
            ]
            found |= {"kinds": list(jobs_by_kind(now)), "jobs": jobs_to_look_at()}
        return Response(StatusShape(found).data)


urlpatterns = [path("status/", Status.as_view(), name="api-status")]
