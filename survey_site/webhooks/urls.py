from django.urls import path

from survey_site.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.endpoint_list, name="list"),
    path("<int:pk>/", views.detail, name="detail"),
    path("<int:pk>/test/", views.act, {"what": "test"}, name="test"),
    path("<int:pk>/on/", views.act, {"what": "on"}, name="on"),
    path("<int:pk>/off/", views.act, {"what": "off"}, name="off"),
    path("<int:pk>/delete/", views.act, {"what": "delete"}, name="delete"),
    path("<int:pk>/rotate/", views.rotate, name="rotate"),
    path("<int:pk>/deliveries/<int:delivery>/replay/", views.replay, name="replay"),
]
