#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR
# Builds the Dockerfile as it is and runs the image's own command in a locked
# sandbox, without a container daemon or an image registry. Needs root and the
# network of apt and pip. Exit code 77: it could not run here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
. "$here/base.sh"
. "$here/pip.sh"
. "$here/build.sh"
. "$here/sandbox.sh"

skip() {
    echo "SKIPPED: container test needs $*" >&2
    exit 77
}
for tool in buildah debootstrap bwrap python3 unshare; do
    command -v "$tool" >/dev/null || skip "$tool"
done
[[ $EUID -eq 0 ]] || skip "root rights"
mirror=$(debian_mirror 2>/dev/null || true)
[[ -n $mirror ]] || skip "a Debian mirror known to apt (try apt-get update)"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/wurf-container
mkdir -p "$cache"
find "$cache" -maxdepth 1 -name 'run.*' -mmin +120 -exec rm -rf --one-file-system {} + # of killed runs
work=$(mktemp -d "$cache/run.XXXXXX")
service=
clean_up() {
    if [[ -n $service ]]; then
        # The service itself: it has another user, so it does not end with bwrap.
        { kill -KILL "$(service_pid "$work")" && wait "$service"; } 2>/dev/null || true
    fi
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# The base image's name ends with its Debian suite; this machine's own will do as well.
base=$(base_name "$tree/Dockerfile")
find_base "$base" "$mirror" "${base##*-}" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
echo "building the image"
build_image "$tree" wurf

buildah_ inspect --type image wurf >"$work/image.json"
read_config "$work/image.json"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
make_sandbox "$(buildah_ mount "$(buildah_ from --pull-never wurf)")" "$port"

failures=0
check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "ok    $name"
    else
        echo "FAIL  $name"
        tail -n 12 "$work/check.log" | sed 's/^/      /'
        failures=$((failures + 1))
    fi
}
is() { [[ $1 == "$2" ]] || { echo "got '$1', not '$2'"; return 1; }; }
fails() { ! "$@"; }
within() { # within SECONDS COMMAND...: tries until it succeeds
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}
nothing_writable() { is "$(sandbox find / -xdev -writable ! -type l)" "" && fails sandbox touch /probe; }
only_root_may_write() {
    is "$(sandbox find /opt/wurf "$directory" ! -type l '(' ! -user 0 -o -perm /022 ')')" ""
}
roll() {
    python3 - "http://127.0.0.1:$port/v1/zrps/roll" <<'PYTHON'
import json, sys, urllib.request
request = urllib.request.Request(
    sys.argv[1], b'{"value":11,"seed":"demo"}', {"Content-Type": "application/json"})
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with direct.open(request, timeout=5) as answer:
    body = answer.read().decode()
    print(answer.status, body)
    assert answer.status == 200 and "outcome" in json.loads(body)
PYTHON
}
gone() { ! kill -0 "$service" 2>/dev/null; }
stops_in_order() {
    local code=0
    kill -s "$stop_signal" "$(service_pid "$work")"
    within 12 gone || { echo "still running after 12 seconds, of which 5 are for draining"; return 1; }
    wait "$service" || code=$?
    service=
    is "$code" 0
}

check "the image's user is 10001" is "$user" 10001:10001
check "the command runs as that user" is "$(sandbox id -u):$(sandbox id -g)" 10001:10001
check "it can write nothing in the image" nothing_writable
check "the code and its packages belong to root" only_root_may_write
check "the health check is in exec form" is "${health[0]}" CMD
start_service "$work"
check "the image's command serves a roll" within 15 roll
check "the health check passes while it serves" sandbox "${health[@]:1}"
check "$stop_signal ends it in order, with code 0" stops_in_order
check "the health check fails once it has stopped" fails sandbox "${health[@]:1}"

if ((failures)); then
    echo "the service's output:"
    tail -n 40 "$work/service.log" | sed 's/^/      /'
    exit 1
fi
echo "container test passed"
