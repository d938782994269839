# shellcheck shell=bash
# A stand-in for the official Python image, for machines that can pull none: a
# minimal Debian with its own Python, in an image store that later runs reuse.

packages=python3,python3-pip,python-is-python3

# The mirror that this machine's own apt uses; empty if apt knows none.
debian_mirror() {
    # shellcheck disable=SC2016 # apt fills this in
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1
}

# find_base NAME MIRROR SUITE...: sets base_store to an image store that holds
# the image NAME, made from the first suite that can be had.
find_base() {
    local name=$1 mirror=$2 suite
    shift 2
    for suite; do
        base_store=$cache/base-$suite-$(dpkg --print-architecture)-$(cksum <<<"$packages $name" | cut -d ' ' -f 1)
        [[ -e $base_store ]] && return
        echo "making the stand-in base image from Debian $suite (only this time)"
        # In a mount name space of its own, so that no mount outlives it.
        if unshare --mount debootstrap --variant=minbase --include="$packages" \
            "$suite" "$work/$suite" "$mirror" >"$work/debootstrap.log" 2>&1; then
            store_base "$work/$suite" "$name"
            # Another run may have been quicker.
            mv --no-target-directory "$work/base" "$base_store" 2>/dev/null || [[ -e $base_store ]]
            rm -rf --one-file-system "${work:?}/$suite"
            return
        fi
        tail -n 3 "$work/debootstrap.log" >&2
    done
    return 1
}

# store_base TREE NAME: makes the tree an image with the name that the registry's would have.
store_base() {
    local container
    store() { buildah --root "$work/base" --runroot "$work/base-run" --storage-driver vfs "$@"; }
    container=$(store from scratch)
    tar --directory "$1" --exclude './var/cache/apt/*' --exclude './var/lib/apt/lists/*' --exclude './dev/*' \
        --exclude './usr/share/doc/*' --exclude './usr/share/locale/*' --create . |
        tar --extract --directory "$(store mount "$container")"
    store config --env PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin --cmd python3 "$container"
    store commit --quiet --rm --disable-compression "$container" "docker.io/library/$2" >/dev/null
}
