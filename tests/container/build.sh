# shellcheck shell=bash
# Builds images with buildah, in a store of this run's own ($work) on top of the base image's.

buildah_() {
    TMPDIR=$work buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs \
        --storage-opt "vfs.imagestore=$base_store" "$@"
}

# base_name DOCKERFILE: prints the one base image's name.
base_name() {
    local names
    names=$(sed -nE 's/^FROM +([^ ]+).*/\1/p' "$1" | sort -u)
    [[ $(wc -l <<<"$names") -eq 1 ]] || { echo "not one base image: $names" >&2; return 1; }
    echo "$names"
}

# build_image TREE TAG: builds the tree's Dockerfile, with this machine's way to the package index.
build_image() {
    local volumes path
    pip_settings >"$work/pip.conf"
    volumes=(--volume "$work/pip.conf:/etc/pip.conf:ro")
    while read -r path; do
        volumes+=(--volume "$path:$path:ro")
    done < <(pip_paths "$work/pip.conf")
    buildah_ build --isolation chroot --pull-never --format docker --layers=false "${volumes[@]}" \
        --tag "$2" "$1" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; return 1; }
}
