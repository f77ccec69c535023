"""The addresses of a batch's pages, but for those of its quality."""

from django.urls import path

from survey_site.desk import files_views
from survey_site.desk.batches import list_views
from survey_site.desk.batches.launching import views as launch_views
from survey_site.desk.batches.planning import primary_views
from survey_site.desk.batches.planning import views as planning_views
from survey_site.desk.batches.running import answers_views, extending_views, monitor_views
from survey_site.desk.batches.walking import views as walk_views
from survey_site.desk.taking_part import texts_views
from survey_site.desk.taking_part import views as participation_views

app_name = "batches"
urlpatterns = [
    path("", list_views.batch_index, name="list"),
    path("new/", planning_views.new, name="new"),
    path("effort/", planning_views.effort, name="effort"),
    path("<int:pk>/", monitor_views.monitor, name="monitor"),
    path("<int:pk>/edit/", planning_views.edit, name="edit"),
    path("<int:pk>/delete/", planning_views.delete, name="delete"),
    path("<int:pk>/launch/", launch_views.launch, name="launch"),
    path("<int:pk>/progress/", monitor_views.progress, name="progress"),
    path("<int:pk>/pause/", monitor_views.pause, name="pause"),
    path("<int:pk>/resume/", monitor_views.resume, name="resume"),
    path("<int:pk>/extend/", extending_views.extend, name="extend"),
    path("<int:pk>/window/", extending_views.window, name="window"),
    path("<int:pk>/documents/", extending_views.documents, name="documents"),
    path("<int:pk>/primary/", primary_views.primary, name="primary"),
    path("<int:pk>/close/", monitor_views.close, name="close"),
    path("<int:pk>/preview/", planning_views.preview, name="preview"),
    path("<int:pk>/walk/", walk_views.begin, name="begin-walk"),
    path("<int:pk>/walk/<slug:language>/", walk_views.walk, name="walk"),
    path("<int:pk>/walk/<slug:language>/<path:page>/", walk_views.walk, name="walk-page"),
    path("<int:pk>/ratings.csv", answers_views.ratings, name="ratings"),
    path("<int:pk>/comments/", answers_views.comments, name="comments"),
    path("<int:pk>/comments.csv", files_views.file, {"name": "comments.csv"}, name="comments-csv"),
    path("<int:pk>/marks.csv", files_views.file, {"name": "marks.csv"}, name="marks-csv"),
    path("<int:pk>/reopen/", monitor_views.reopen, name="reopen"),
    path("<int:pk>/participation/", participation_views.participation, name="participation"),
    path(
        "<int:pk>/participation/settings/",
        participation_views.change_participation,
        name="change-participation",
    ),
    path(
        "<int:pk>/participation/invitations/",
        participation_views.add_invitations,
        name="add-invitations",
    ),
    path("<int:pk>/participation/invitations.csv", participation_views.invitations, name="invitations"),
    path("<int:pk>/participation/texts/<str:language>/", texts_views.texts, name="texts"),
    path(
        "<int:pk>/participation/texts/<str:language>/change/", texts_views.change_texts, name="change-texts"
    ),
    path("<int:pk>/participation/consent/", participation_views.change_consent, name="change-consent"),
]
