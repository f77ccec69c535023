"""The ASGI application that a web server loads."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")
application = get_asgi_application()
