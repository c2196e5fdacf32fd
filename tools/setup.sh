#!/bin/sh
# Builds .venv with the first suitable Python. It gets everything in requirements.lock, or, if another lock is named
# (tools/setup.sh deploy/play.lock), only what that has. Each lock includes the next one: what `make play` needs is a
# third of everything, what the bot itself needs is half of that.
set -eu
cd "$(dirname "$0")/.."
lock=${1:-requirements.lock}
locks="requirements.lock:.venv/ready deploy/play.lock:.venv/plays deploy/requirements.lock:.venv/runs"
for pair in $locks; do
    [ "${pair%:*}" != "$lock" ] || installed=${pair#*:}
done

works() { .venv/bin/python -c 'import pip' 2>/dev/null; }  # pip is gone if Python has become another version

# A checkout may touch a lock without changing it, so the file named beside a lock is a copy of it as it was installed.
has() { cmp -s "${1%:*}" "${1#*:}" && works; }
end_if_installed() {
    for pair in $locks; do
        if has "$pair"; then cp "$lock" "$installed"; exit 0; fi
        [ "${pair%:*}" != "$lock" ] || return 0
    done
}
end_if_installed

# A .venv that is a link belongs to another checkout, and building one would empty it first.
if [ -L .venv ]; then
    echo "setup: .venv is a link to $(readlink .venv), whose packages differ from $lock; remove the link" \
        "to build one here" >&2
    exit 1
fi

usable() { "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1; }

if [ -n "${PYTHON:-}" ] && ! usable "$PYTHON"; then
    echo "setup: PYTHON=$PYTHON is no Python 3.11 to 3.14 with the venv module; looking for another" >&2
fi
python=
for name in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
    if usable "$name"; then python=$name; break; fi
done
if [ -z "$python" ]; then
    echo "setup: no Python 3.11 to 3.14 with the venv module was found (looked for python3 and python3.14 to python3.11)." \
        "Install one (Debian: apt-get install python3-venv) or name it: make setup PYTHON=/path/to/python3" >&2
    exit 1
fi

trap 'printf "\nsetup: stopped; the next make begins again\n" >&2; exit 130' INT TERM
failed() {
    echo "setup: $1 could not be set up; the reason is above" >&2
    exit 1
}

# Two set-ups at the same time would delete each other's .venv, so the second one waits and then needs to do nothing.
# What is locked is this file as opened here, so the lock ends with this process and with those that it started.
exec 9<tools/setup.sh
# Where no lock is to be had (Windows, some network drives), it goes on without.
claim() {
    "$python" -c "
try:
    import fcntl
    fcntl.flock(9, fcntl.$1)
except BlockingIOError:
    raise
except (ImportError, OSError):
    pass" 9<&9 2>/dev/null
}
if ! claim 'LOCK_EX | fcntl.LOCK_NB'; then
    echo "setup: waiting for another set-up of this checkout"
    claim LOCK_EX || true
    end_if_installed
fi

total="up to $(grep -c '^[a-z0-9].*==' "$lock") packages, a minute or two the first time"
is_part_there=
for pair in $locks; do
    if [ -e "${pair#*:}" ]; then  # the largest that was installed; in other versions, what nobody needs would stay
        ! has "$pair" || is_part_there=yes
        break
    fi
done
if [ "$is_part_there" ]; then  # leave it in place, because somebody may be playing with it
    echo "setup: adding to .venv, which then has $total"
else
    echo "setup: building .venv with $("$python" --version) and $total"
    # What is said is held back, because much of it may be a traceback. pip comes in a step of its own: venv would keep
    # to itself why that fails, such as a full disk.
    said=$({ "$python" -m venv --clear --without-pip .venv && .venv/bin/python -Im ensurepip --default-pip; } 2>&1) || {
        printf '%s\n' "$said" | grep -im 1 '^[a-z.]*error: ' >&2 || printf '%s\n' "$said" >&2
        failed .venv
    }
fi
# --no-deps: the lock is complete. If pip looked for more, it would try newer versions of packages that are required with
# an extra (coverage[toml]), and give up because they have no hash.
# --no-user, --target, unset: whatever pip is set to on this machine, just these packages belong into .venv.
# --no-binary: of chess there is only the source, and pip may be set to take none.
unset PIP_CONSTRAINT PIP_DRY_RUN PIP_PREFIX PIP_PYTHON PIP_ROOT
# Without a terminal, print a line for every tenth package.
if [ -t 1 ]; then tty=1; else tty=0; fi
exec 3>&1
# What pip complains of is held back until it has ended, and not in a file, because the disk may be full.
said=$({ { .venv/bin/python -m pip install --disable-pip-version-check --no-color --require-hashes --no-deps \
    --no-user --target '' --no-binary chess -r "$lock" 2>&4 || echo FAILED >&4; } | {
    packages=0  # not awk, because some versions hold their output back until the end
    while IFS= read -r line; do
        case $line in
        "Collecting "*)
            packages=$((packages + 1))
            if [ "$tty" = 1 ]; then printf '\rsetup: package %d' "$packages"
            elif [ $((packages % 10)) = 0 ]; then echo "setup: package $packages"
            fi ;;
        "Installing "*)
            rm -f .venv/plays .venv/runs  # pip changes nothing before; if it stops now, the next one builds again
            if [ "$tty" = 1 ]; then printf '\r'; fi
            echo "setup: installing them" ;;
        esac
    done
} >&3; } 4>&1)
case $said in
*FAILED)
    if [ "$tty" = 1 ]; then echo; fi
    printf '%s' "${said%FAILED}" >&2
    failed "the packages" ;;
esac
cp "$lock" "$installed"
echo "setup: done"
