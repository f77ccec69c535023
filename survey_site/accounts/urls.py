from django.contrib.auth import views as auth_views
from django.urls import path

from survey_site.accounts import (
    link_views,
    own_views,
    project_views,
    second_step_views,
    signing_in,
    token_views,
    views,
)

app_name = "accounts"
urlpatterns = [
    path("", views.account_list, name="list"),
    path("invite/", views.invite_person, name="invite"),
    path("invitations/<int:pk>/withdraw/", views.withdraw, name="withdraw"),
    path("people/<int:pk>/", views.person, name="person"),
    path("people/<int:pk>/role/", views.role, name="role"),
    path("people/<int:pk>/projects/", project_views.of_person, name="person-projects"),
    path("people/<int:pk>/access/", views.access, name="access"),
    path("people/<int:pk>/reset/", views.reset, name="reset"),
    path("people/<int:pk>/sessions/", views.end_person_sessions, name="end-sessions"),
    path("link/<str:secret>/", link_views.receive, name="open-link"),
    path("link/", link_views.link, name="link"),
    path("forgotten/", link_views.forgotten, name="forgotten"),
    path("you/", own_views.own, name="own"),
    path("you/password/", own_views.password, name="password"),
    path("you/details/", own_views.details, name="details"),
    path("you/tokens/", token_views.tokens, name="tokens"),
    path("you/tokens/<int:pk>/revoke/", token_views.revoke, name="revoke-token"),
    path("you/sessions/", own_views.end_own_sessions, name="end-own-sessions"),
    path("you/second-step/", second_step_views.second_step, name="second-step"),
    path("you/second-step/codes/", second_step_views.new_codes, name="new-recovery-codes"),
    path("you/second-step/off/", second_step_views.off, name="second-step-off"),
    path("people/<int:pk>/second-step/", second_step_views.reset, name="reset-second-step"),
    path("login/", signing_in.LogInView.as_view(), name="login"),
    path("login/code/", signing_in.code, name="login-code"),
    path("audit/", views.audit, name="audit"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
]
