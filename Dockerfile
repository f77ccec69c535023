# Three images: `site` for everything but neural measures; `cpu` and `gpu` are the same with PyTorch, for workers.
FROM python:3.11.14-slim-trixie AS packages

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app

# The report's PDF needs a font with more than Latin letters and the one that its figures name, and backups the client of PostgreSQL 17, the compose
# file's server; the base image pins Debian's release.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core fonts-liberation postgresql-client && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home concord && mkdir /data && chown concord /data

COPY requirements-base.lock .
RUN pip install --require-hashes -r requirements-base.lock

FROM packages AS site
COPY . .
# The key is for collecting files only; the running site refuses to start without its own.
RUN SECRET_KEY=collectstatic-only-0123456789-0123456789-0123456789 CONCORD_COLLECTED_STATIC=true \
    CONCORD_DATA_DIR=/tmp/none DATABASE_URL=sqlite:////tmp/none.sqlite3 python manage.py collectstatic --no-input \
    && rm -r /tmp/none

# hadolint ignore=DL3066
USER concord
EXPOSE 8000
CMD ["gunicorn", "survey_site.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "8"]

# PyTorch comes before the code, so that a change of the code does not fetch it again.
FROM packages AS cpu
COPY requirements.txt requirements-base.txt ./
RUN pip install uv==0.13.9 && uv pip install --system --no-cache --torch-backend cpu -r requirements.txt
COPY --from=site /app /app
# hadolint ignore=DL3066
USER concord

FROM packages AS gpu
COPY requirements.txt requirements-base.txt ./
RUN pip install -r requirements.txt
COPY --from=site /app /app
# hadolint ignore=DL3066
USER concord
