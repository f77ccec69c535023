"""Addresses of the models that rate a batch."""

from django.urls import path

from survey_site.model_raters import download_views, views
from survey_site.model_raters.download_views import run_file
from survey_site.model_raters.files import JUDGE_FILES

app_name = "model_raters"
RUN = "<int:pk>/models/<int:run>/"
urlpatterns = [
    path("<int:pk>/models/", views.index, name="list"),
    path("<int:pk>/models/new/", views.new, name="new"),
    path("<int:pk>/models/judge/", views.judge, name="judge"),
    path("<int:pk>/models/ratings.csv", download_views.ratings, name="ratings"),
    path("<int:pk>/models/<int:run>/", views.detail, name="run"),
    path("<int:pk>/models/<int:run>/progress/", views.progress, name="progress"),
    path("<int:pk>/models/<int:run>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/models/<int:run>/retry/", views.retry, name="retry"),
    path(
        "<int:pk>/models/<int:run>/ratings.csv",
        download_views.run_file,
        {"file": "ratings.csv"},
        name="run-ratings",
    ),
    path(f"{RUN}means.csv", run_file, {"file": "means.csv"}, name="means"),
    path(
        "<int:pk>/models/<int:run>/answers.jsonl",
        download_views.run_file,
        {"file": "answers.jsonl"},
        name="answers",
    ),
    *(path(f"{RUN}{file}", run_file, {"file": file}, name=f"judge-{file}") for file in JUDGE_FILES),
]
