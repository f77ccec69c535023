"""Two reports held against each other."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, queried
from survey_site.api.shapes.comparing import CompareQuery, ComparisonShape
from survey_site.projects.access import get_visible_or_404
from survey_site.reports.comparison import compare_reports
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus


class Compare(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="compare_reports",
        summary="What differs between two reports, and every number that both have",
        description="Numbers that were made in different ways stand beside each other with the reason, and "
        "without a difference. 404 for a report that is not done.",
        parameters=[CompareQuery],
        responses=ComparisonShape,
    )
    def get(self, request: Request) -> Response:
        asked, done = queried(CompareQuery, request), Report.objects.filter(status=JobStatus.DONE)
        a, b = (get_visible_or_404(done, request.user, asked[name]) for name in ("a", "b"))
        return Response(ComparisonShape(compare_reports(a.read(), b.read(), asked["score"])).data)
