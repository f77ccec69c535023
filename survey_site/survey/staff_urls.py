"""The addresses of batches: those of the app itself and those that show what raters see and say.

They are one namespace for whoever links to them; the batches app itself knows nothing of raters' pages.
"""

from django.urls import path

from survey_site.batches import urls as batch_urls
from survey_site.survey import participation_views, staff_views, texts_views
from survey_site.survey.reopening_views import reopen

app_name = batch_urls.app_name
urlpatterns = [
    *batch_urls.urlpatterns,
    path("<int:pk>/preview/", staff_views.preview, name="preview"),
    path("<int:pk>/ratings.csv", staff_views.ratings, name="ratings"),
    path("<int:pk>/comments/", staff_views.comments, name="comments"),
    path("<int:pk>/comments.csv", staff_views.comments_csv, name="comments-csv"),
    path("<int:pk>/reopen/", reopen, name="reopen"),
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
