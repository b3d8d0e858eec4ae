#!/usr/bin/env bash
# The README's test command: installs what the tests need, then lints and runs the tests, those in a browser included.
# With --long it runs what that leaves out, as before a release: what is long by nature (marked so), and tests of properties
# and of pages with all their examples. Other arguments go to pytest.
# An active virtual environment is used; without one, .venv is made.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${VIRTUAL_ENV:-}" ]; then
  [ -x .venv/bin/python ] || python3 -m venv .venv
  VIRTUAL_ENV="$PWD/.venv"
fi
python="$VIRTUAL_ENV/bin/python"
extras="app,test"
[ "${1:-}" != --long ] || extras="$extras,long"
# Only what is imported need be compiled, and Python does that: once, also where the environment says not to keep it.
unset PYTHONDONTWRITEBYTECODE
"$python" -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt -e ".[$extras]"

if ! command -v chromium >/dev/null; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq chromium
fi

# Lint and types use one core and tell at the end, so that the tests need not wait for them.
lint="$(mktemp)"
{ "$python" -m ruff check . && "$python" -m ruff format --check . && "$python" -m mypy; } >"$lint" 2>&1 &
linted() {
  if wait "$!"; then tail -n 1 "$lint"; else cat "$lint"; return 1; fi
}
# A browser test that cannot run is a failure here, never a skip.
export HIERVIZ_REQUIRE_BROWSER=1
which="not long"
if [ "${1:-}" = --long ]; then
  which="(long or longer or hypothesis)"
  export HIERVIZ_LONG=1  # tests of properties take all their examples
  shift
fi
if [ $# -gt 0 ]; then
  linted
  exec "$python" -m pytest "$@"
fi
"$python" -m pytest --ignore=tests/browser -m "not browser and $which" --numprocesses logical --dist worksteal
linted
# The browsers get the machine to themselves: two at a time, each with a server of its own.
"$python" -m pytest tests -m "browser and $which" --numprocesses 2 --dist worksteal
