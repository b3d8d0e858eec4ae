#!/usr/bin/env bash
# The steps of the Dockerfile without a container, as root: the package in a folder that its user cannot change, started as a user
# without rights, who writes in a private folder only.
#   deploy/without-docker.sh FOLDER [ARGUMENTS OF hierviz app]
set -euo pipefail
source="$(cd "$(dirname "$0")/.." && pwd)"
folder="${1:?the folder to install to}"
shift
user="${HIERVIZ_USER:-hierviz}"
id "$user" >/dev/null 2>&1 || useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
if [ ! -x "$folder/bin/hierviz" ]; then
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/pip" install --quiet --no-cache-dir -r "$source/requirements.txt"
  "$folder/bin/pip" install --quiet --no-cache-dir "$source[app,fast]"
fi
private="$(mktemp -d)"
chown "$user" "$private"
chmod 700 "$private"
cd "$private"
exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
  env -i PATH="$folder/bin:/usr/bin:/bin" HOME="$private" TMPDIR="$private" NUMBA_CACHE_DIR="$private/numba" LANG=C.UTF-8 \
  PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 hierviz app --no-browser "$@"
