# The service's image: docker build --build-arg VERSION=0.1.0 --tag scheids:0.1.0 .
#
# A tag can be moved. Who wants the base to the byte puts @sha256:... behind it.
FROM docker.io/library/python:3.11.15-slim-bookworm AS base

FROM base AS build
# What compiles the engine and the codec; the image itself has no compiler. A compiler's version need not be held fast.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_INPUT=1
WORKDIR /build
# What changes seldom comes first, so that a change of the code builds only the service's own wheel again.
COPY requirements/build.txt requirements/compile.txt requirements/runtime.txt requirements/
RUN python -m venv tools \
    && tools/bin/python -m pip install --require-hashes --only-binary :all: \
        --requirement requirements/build.txt --requirement requirements/compile.txt \
    && tools/bin/python -m pip wheel --require-hashes --only-binary :all: --no-deps \
        --requirement requirements/runtime.txt --wheel-dir wheels \
    && tools/bin/python -m pip install --no-index --no-deps wheels/msgspec-*.whl wheels/protobuf-*.whl \
    && python -m venv --without-pip /opt/scheids
COPY LICENSE README.md pyproject.toml ./
COPY scripts/hatch_build.py scripts/
COPY scripts/compiling scripts/compiling
COPY engine engine
COPY service service
RUN HATCH_BUILD_HOOK_ENABLE_CUSTOM=true tools/bin/python -m hatchling build --target wheel --directory wheels \
    && tools/bin/python -m pip --python /opt/scheids/bin/python install --no-index --no-deps wheels/*.whl \
    && tools/bin/python -m pip --python /opt/scheids/bin/python check

FROM base
ARG VERSION=0+unknown
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Scheids" \
      org.opencontainers.image.description="A referee for card games, run as a service" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
# /data is for the embedded store alone; a named volume mounted there takes over its owner.
RUN groupadd --gid 10001 scheids \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin scheids \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data
COPY --from=build /opt/scheids /opt/scheids
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SCHEIDS_HTTP_ADDRESS=0.0.0.0:8080 \
    SCHEIDS_GRPC_ADDRESS=0.0.0.0:8081 \
    SCHEIDS_DATA_DIR=/data
# A number, since runAsNonRoot cannot tell who a name is.
USER 10001:10001
EXPOSE 8080 8081
ENTRYPOINT ["/opt/scheids/bin/scheids"]
CMD ["serve"]
