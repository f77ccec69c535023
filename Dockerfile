FROM python:3.11.14-slim-trixie

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app

# The report's PDF needs a font with more than Latin letters and the one that its figures name, and backups the client of PostgreSQL 17, the compose
# file's server; the base image pins Debian's release.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core fonts-liberation postgresql-client && rm -rf /var/lib/apt/lists/*

COPY requirements.txt .
RUN pip install -r requirements.txt

COPY . .
# The key is for collecting files only; the running site refuses to start without its own.
RUN SECRET_KEY=collectstatic-only-0123456789-0123456789-0123456789 CONCORD_COLLECTED_STATIC=true \
    CONCORD_DATA_DIR=/tmp/none DATABASE_URL=sqlite:////tmp/none.sqlite3 python manage.py collectstatic --no-input \
    && rm -r /tmp/none \
    && useradd --create-home concord && mkdir /data && chown concord /data

# hadolint ignore=DL3066
USER concord
EXPOSE 8000
CMD ["gunicorn", "survey_site.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "8"]
