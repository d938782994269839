# Build stage: all that needs pip, or writes files, happens here.
FROM python:3.13-slim-trixie AS build

# pip stays outside the environment, so nothing in it can install packages.
# Only wheels with the hashes of the lock file: no package's setup code runs.
# Another lock, such as requirements-telemetry.txt, brings what an option needs.
ARG REQUIREMENTS=requirements.txt
COPY ${REQUIREMENTS} /tmp/requirements.txt
RUN python -m venv --without-pip /opt/wurf \
    && python -m pip --python /opt/wurf/bin/python install \
        --no-cache-dir --no-deps --no-compile --require-hashes --only-binary :all: \
        --requirement /tmp/requirements.txt

# Bytecode is made now, since nothing can be written at run time; it is tied
# to no time stamp, so copying cannot make it stale. The modes are set since a
# checkout made with a strict umask would be unreadable to the service's user.
COPY app /srv/wurf/app
RUN python -m compileall -q --invalidation-mode unchecked-hash /opt/wurf /srv/wurf \
    && chmod -R a+rX,go-w /opt/wurf /srv/wurf

# Final stage: only copies.
FROM python:3.13-slim-trixie

LABEL org.opencontainers.image.title="Wurf" \
      org.opencontainers.image.description="An HTTP service that resolves the rolls of tabletop games" \
      org.opencontainers.image.licenses="MIT"

COPY --from=build /opt/wurf /opt/wurf
COPY --from=build /srv/wurf /srv/wurf

# Inside a container the loopback address would be reachable by nobody else.
ENV PATH="/opt/wurf/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    WURF_HOST=0.0.0.0 \
    WURF_PORT=8000 \
    WURF_WORKERS=auto

# The code lies here and belongs to root: the service cannot change it.
WORKDIR /srv/wurf

# A number, so that an orchestrator can see that it is not root.
USER 10001:10001

EXPOSE 8000
STOPSIGNAL SIGTERM

# Exec form: no shell between the runtime and the process that gets the signal.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python", "-m", "app", "health"]
CMD ["python", "-m", "app", "serve"]
