#!/usr/bin/env bash
# The README's test command: installs the packages for the tests, then runs lint, types and tests, including browser tests.
# With --long it runs what this leaves out: tests marked `long`, and all examples of property and page tests. Run it before a
# release. Other arguments go to pytest.
# Uses the active virtual environment, or creates .venv.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${VIRTUAL_ENV:-}" ]; then
  [ -x .venv/bin/python ] || python3 -m venv .venv
  VIRTUAL_ENV="$PWD/.venv"
fi
python="$VIRTUAL_ENV/bin/python"
extras="app,test"
[ "${1:-}" != --long ] || extras="$extras,long"
# Python compiles modules when they are first imported, and keeps the result even if the environment says otherwise.
unset PYTHONDONTWRITEBYTECODE
"$python" -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt -e ".[$extras]"

if ! command -v chromium >/dev/null; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq chromium
fi

# Lint and types run on one core next to the tests and report at the end.
lint="$(mktemp)"
{ "$python" -m ruff check . && "$python" -m ruff format --check . && "$python" -m mypy; } >"$lint" 2>&1 &
linted() {
  if wait "$!"; then tail -n 1 "$lint"; else cat "$lint"; return 1; fi
}
# A browser test that cannot run fails here; it is never skipped.
export HIERVIZ_REQUIRE_BROWSER=1
which="not long"
workers=$(($(nproc) + 1))  # many of these tests wait for processes of their own
if [ "${1:-}" = --long ]; then
  which="(long or longer or hypothesis)"
  export HIERVIZ_LONG=1  # property tests take all their examples
  shift
fi
if [ $# -gt 0 ]; then
  linted
  exec "$python" -m pytest "$@"
fi
"$python" -m pytest --ignore=tests/browser -m "not browser and $which" --numprocesses "$workers" --dist worksteal
linted
# Browser tests run alone, two at a time, each with its own server.
"$python" -m pytest tests -m "browser and $which" --numprocesses 2 --dist worksteal
