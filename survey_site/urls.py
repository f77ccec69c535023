"""URL layout: one prefix an app; raters' pages live under /s/."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from survey_site.accounts.login_views import admin_login
from survey_site.desk.home import home

urlpatterns = [
    path("", home, name="home"),
    path("accounts/", include("survey_site.accounts.urls")),
    path("projects/", include("survey_site.accounts.project_urls")),
    path("notices/", include("survey_site.notices.urls")),
    path("webhooks/", include("survey_site.webhooks.urls")),
    path("corpora/", include("survey_site.corpus.urls")),
    path("corpora/", include("survey_site.scoring.given.urls")),
    path("batches/", include("survey_site.desk.urls")),
    path("batches/", include("survey_site.uploads.urls")),
    path("batches/", include("survey_site.desk.quality.urls")),
    path("batches/", include("survey_site.model_raters.urls")),
    path("s/", include("survey_site.survey.urls")),
    path("reports/", include("survey_site.reports.urls")),
    path("studies/", include("survey_site.studies.urls")),
    path("runs/", include("survey_site.scoring.parts.urls")),
    path("keep/", include("survey_site.keeping.urls")),
    path("", include("survey_site.operations.urls")),
    path("api/v1/", include("survey_site.api.urls")),
    path("api/v1/", include("survey_site.operations.api_views")),
    path("help/", include("survey_site.help.urls")),
    path("admin/login/", admin_login),  # the one log-in, with its second step, is in front of these too
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}img/mark.svg")),
]

handler500 = "survey_site.common.failures.server_error"
