# The proxy of docker-compose.yml: Caddy with the site's rules, run by an account that is not root.
FROM caddy:2.10.2-alpine

COPY deploy/Caddyfile /etc/caddy/Caddyfile
# A copy without the file's right to low ports, with which it would not start in a container that may gain no privileges.
RUN cat /usr/bin/caddy > /usr/local/bin/caddy && chmod 755 /usr/local/bin/caddy \
    && adduser -D -u 1000 concord && mkdir -p /data && chown -R concord /data

# hadolint ignore=DL3066
USER concord
CMD ["/usr/local/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
