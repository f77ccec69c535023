"""Addresses of the reports."""

from django.urls import path, re_path

from survey_site.reports import downloads, views
from survey_site.reports.bundles import downloads as bundle_downloads

app_name = "reports"
urlpatterns = [
    path("", views.report_index, name="list"),
    path("new/", views.new, name="new"),
    path("compare/", views.compare, name="compare"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/papers/", views.papers, name="papers"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/retry/", views.retry, name="retry"),
    path("<int:pk>/bundle.zip", bundle_downloads.bundle, name="bundle"),
    path("<int:pk>/bundle/", bundle_downloads.bundle_made, name="bundle-made"),
    path("<int:pk>/bundle/progress/", bundle_downloads.bundle_progress, name="bundle-progress"),
    path("<int:pk>/<slug:name>.svg", downloads.old_figure, name="old-figure"),
    re_path(r"^(?P<pk>[0-9]+)/(?P<address>.+\.\w+)$", downloads.file, name="file"),
]
