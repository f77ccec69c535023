"""The WSGI application that a web server loads."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from survey_site.operations.in_use import show_web_use

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")
application = get_wsgi_application()
_ = get_resolver().url_patterns  # imports all pages: whoever comes first would else wait for it
show_web_use()
