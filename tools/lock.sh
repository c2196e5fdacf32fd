#!/bin/sh
# Rewrites the lock files from pyproject.toml, with hashes, for every Python from 3.11 on and every system:
# requirements.lock has everything, deploy/play.lock what `make play` needs, deploy/requirements.lock what the bot itself
# needs, in the same versions.
# The caller's settings are ignored, so that no index address or folder of this machine can get into a lock.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
.venv/bin/python -m venv "$place"
"$place/bin/pip" install --quiet --disable-pip-version-check uv==0.13.9
compile() {
    env -i PATH="$PATH" HOME="$place" ${SSL_CERT_FILE:+SSL_CERT_FILE="$SSL_CERT_FILE"} \
        "$place/bin/uv" --no-config --quiet pip compile pyproject.toml --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate "$@"
}

compile --group dev "$@" --output-file requirements.lock
compile --constraint requirements.lock --extra play --output-file deploy/play.lock
compile --constraint requirements.lock --output-file deploy/requirements.lock
