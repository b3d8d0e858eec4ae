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

# A browser test that cannot run fails here; it is never skipped.
export HIERVIZ_REQUIRE_BROWSER=1
which="not long"
workers=$(($(nproc) + 1))  # many of these tests wait for processes of their own
browsers=1  # each has a server and a window of its own, which take long to start
if [ "${1:-}" = --long ]; then
  which="(long or longer or hypothesis)"
  export HIERVIZ_LONG=1  # property tests take all their examples
  browsers=2
  shift
fi

# Lint, types and browser tests run next to the other tests, since they wait much, and are printed at the end.
printed="$(mktemp -d)"
browser=""
# Whatever ends this command ends the browser tests, which close their servers and windows.
trap 'if [ -n "$browser" ] && kill -INT "$browser" 2>/dev/null; then wait "$browser" || true; fi; rm -r "$printed"' EXIT
lint() { "$python" -m ruff check . && "$python" -m ruff format --check . && "$python" -m mypy; }
lint >"$printed/lint" 2>&1 &
lint=$!
linted() {
  if wait "$lint"; then tail -n 1 "$printed/lint"; else cat "$printed/lint"; return 1; fi
}
if [ $# -gt 0 ]; then
  linted
  "$python" -m pytest "$@"
  exit
fi
# In a new clone and environment one process compiles what the tests import; else each worker would compile it all.
[ -d tests/__pycache__ ] || "$python" -m pytest --collect-only -qq >/dev/null || true
"$python" -m pytest tests -m "browser and $which" --numprocesses "$browsers" --dist worksteal >"$printed/browser" 2>&1 &
browser=$!
failed=0
"$python" -m pytest --ignore=tests/browser -m "not browser and $which" --numprocesses "$workers" --dist worksteal || failed=$?
linted || failed=$?
wait "$browser" || failed=$?
cat "$printed/browser"
exit "$failed"
