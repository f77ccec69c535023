"""The ASGI application that a web server loads."""

import os

from django.core.asgi import get_asgi_application

from survey_site.operations.in_use import show_web_use

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")
application = get_asgi_application()
show_web_use()
