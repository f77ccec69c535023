"""Addresses of the reports."""

from django.urls import path

from survey_site.reports import export_urls, views

app_name = "reports"
urlpatterns = [
    path("", views.report_index, name="list"),
    path("new/", views.new, name="new"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/retry/", views.retry, name="retry"),
    *export_urls.urlpatterns,
    path("<int:pk>/scatter.svg", views.figure, {"name": "scatter"}, name="scatter"),
    path("<int:pk>/<slug:name>.svg", views.figure, name="figure"),
    *(
        path(f"<int:pk>/{file}", views.export, {"file": file}, name=name)
        for file, name in (
            ("leaderboard.csv", "leaderboard"),
            ("correlations.csv", "correlations"),
            ("report.json", "json"),
        )
    ),
]
