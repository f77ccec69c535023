from django.urls import path

from survey_site.corpus import views

app_name = "corpus"
urlpatterns = [
    path("", views.corpus_list, name="list"),
    path("import/", views.corpus_import, name="import"),
    path("<int:pk>/", views.corpus_detail, name="detail"),
]
