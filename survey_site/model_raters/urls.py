"""Addresses of the models that rate a batch."""

from django.urls import path

from survey_site.model_raters import download_views, views

app_name = "model_raters"
urlpatterns = [
    path("<int:pk>/models/", views.index, name="list"),
    path("<int:pk>/models/new/", views.new, name="new"),
    path("<int:pk>/models/ratings.csv", download_views.ratings, name="ratings"),
    path("<int:pk>/models/<int:run>/", views.detail, name="run"),
    path("<int:pk>/models/<int:run>/progress/", views.progress, name="progress"),
    path("<int:pk>/models/<int:run>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/models/<int:run>/retry/", views.retry, name="retry"),
    path("<int:pk>/models/<int:run>/ratings.csv", download_views.run_ratings, name="run-ratings"),
    path("<int:pk>/models/<int:run>/means.csv", download_views.means, name="means"),
    path("<int:pk>/models/<int:run>/answers.jsonl", download_views.answers, name="answers"),
]
