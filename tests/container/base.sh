# shellcheck shell=bash
# A stand-in for the official Python image, for machines that can pull none:
# a minimal Debian with its own Python, as an archive that later runs reuse.

packages=python3,python3-pip,python-is-python3

# The mirror that this machine's own apt uses; empty if apt knows none.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1
}

# base_archive CACHE WORK MIRROR SUITE...: sets `archive` to that of the first suite that can be had.
base_archive() {
    local cache=$1 work=$2 mirror=$3 suite
    shift 3
    for suite; do
        archive=$cache/base-$suite-$(dpkg --print-architecture)-$(cksum <<<"$packages" | cut -d ' ' -f 1).tar
        [[ -e $archive ]] && return
        echo "making the stand-in base image from Debian $suite (only this time)"
        # In a mount name space of its own, so that no mount outlives it.
        if unshare --mount debootstrap --variant=minbase --include="$packages" \
            "$suite" "$work/$suite" "$mirror" >"$work/debootstrap.log" 2>&1; then
            tar --directory "$work/$suite" --exclude './var/cache/apt/*' --exclude './var/lib/apt/lists/*' \
                --exclude './dev/*' --exclude './usr/share/doc/*' --exclude './usr/share/locale/*' \
                --create --file "$work/base.tar" .
            mv "$work/base.tar" "$archive"
            rm -rf --one-file-system "${work:?}/$suite"
            return
        fi
        tail -n 3 "$work/debootstrap.log" >&2
    done
    return 1
}
