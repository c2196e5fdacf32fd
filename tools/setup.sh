#!/bin/sh
# Builds .venv from requirements.lock with the first Python that is new enough.
set -eu
cd "$(dirname "$0")/.."

# A checkout may touch the lock without changing it; .venv/ready is the lock that was installed.
if cmp -s requirements.lock .venv/ready && .venv/bin/python -c ''; then
    touch .venv/ready
    exit 0
fi

# A .venv that is a link belongs to another checkout, and building one would empty it first.
if [ -L .venv ]; then
    echo "setup: .venv is a link to $(readlink .venv), which has other packages than requirements.lock; remove the link" \
        "to build one here" >&2
    exit 1
fi

usable() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

python=
for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if usable "$name"; then python=$name; break; fi
done
if [ -z "$python" ]; then
    echo "setup: no Python 3.11 or newer with the venv module was found (looked for python3, python3.13, python3.12," \
        "python3.11). Install one (Debian: apt-get install python3-venv) or name it: make setup PYTHON=/path/to/python3" >&2
    exit 1
fi

echo "setup: building .venv with $("$python" --version), a minute or two the first time"
"$python" -m venv --clear .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
cp requirements.lock .venv/ready
echo "setup: done"
