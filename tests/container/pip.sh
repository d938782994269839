# shellcheck shell=bash
# How pip reaches its index on this machine, for the pip inside the build.

# pip_settings: prints the settings in force as a pip.conf; the environment's (listed first) win.
pip_settings() {
    local keys='index-url|extra-index-url|find-links|no-index|trusted-host|cert|client-cert|proxy|default-timeout|timeout|retries'
    echo '[global]'
    { python3 -m pip config list || true; } |
        sed -nE "s/^(:env:|global)\.($keys)='(.*)'\$/\2 = \3/p" |
        awk '!seen[$1]++' | sed 's/\\n/\n    /g'
}

# pip_paths CONF: prints each file or directory of this machine that the settings name.
pip_paths() {
    local word
    tr -s ' ' '\n' <"$1" | sort -u | while read -r word; do
        case $word in
            # An index's pages link to files beside it, so its parent is needed (but no top directory).
            file:///*/*/*) dirname "${word#file://}" ;;
            file:///* | /*) echo "${word#file://}" ;;
        esac
    done | sort -u | while read -r word; do
        if [[ -e $word ]]; then echo "$word"; fi
    done
}
