# shellcheck shell=bash
# Runs commands on an image's root as a container runtime would, by the image's own configuration.

# config IMAGE_JSON KEY...: prints what the configuration has there, each item ended by a zero byte.
config() {
    python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))["Docker"]["config"]
for key in sys.argv[2:]:
    found = found[key]
for item in [found] if isinstance(found, str) else found:
    print(item, end="\0")' "$@"
}

# read_config IMAGE_JSON: sets command, health, environment, user, directory and stop_signal.
read_config() {
    local single
    mapfile -d '' -t command < <(config "$1" Cmd)
    mapfile -d '' -t health < <(config "$1" Healthcheck Test)
    mapfile -d '' -t environment < <(config "$1" Env)
    mapfile -d '' -t single < <(config "$1" User && config "$1" WorkingDir && config "$1" StopSignal)
    user=${single[0]} directory=${single[1]} stop_signal=${single[2]}
}

# make_sandbox ROOT PORT: sets the arrays isolation and as_user, which a command follows.
# No shell and no init: the command is process 1. It has no capability, and
# nothing at all is writable but /dev and /proc, not even /tmp. /dev/shm is there,
# as every container runtime makes it: workers count together in it.
make_sandbox() {
    local pair
    isolation=(bwrap --ro-bind "$1" / --proc /proc --dev /dev --perms 1777 --tmpfs /dev/shm --unshare-pid --unshare-ipc --unshare-uts
        --as-pid-1 --new-session --clearenv)
    for pair in "${environment[@]}"; do
        isolation+=(--setenv "${pair%%=*}" "${pair#*=}")
    done
    isolation+=(--setenv HOME / --setenv WURF_PORT "$2" --chdir "$directory")
    as_user=(setpriv "--reuid=${user%:*}" "--regid=${user#*:}" --clear-groups --inh-caps=-all --bounding-set=-all)
}
sandbox() { "${isolation[@]}" "${as_user[@]}" "$@"; }

# start_service WORK: sets `service` to the process outside the sandbox that ends as the service does.
start_service() {
    "${isolation[@]}" --json-status-fd 3 "${as_user[@]}" "${command[@]}" \
        3>"$1/status.json" >"$1/service.log" 2>&1 &
    service=$!
}

# service_pid WORK: prints the service's own process number, as seen from outside.
service_pid() {
    python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["child-pid"])' <"$1/status.json"
}
