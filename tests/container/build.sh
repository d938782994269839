# shellcheck shell=bash
# Builds images with buildah, in a store of this run's own ($work), from a stand-in base image.

buildah_() {
    TMPDIR=$work buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

# base_name DOCKERFILE: prints the one base image's name.
base_name() {
    local names
    names=$(sed -nE 's/^FROM +([^ ]+).*/\1/p' "$1" | sort -u)
    [[ $(wc -l <<<"$names") -eq 1 ]] || { echo "not one base image: $names" >&2; return 1; }
    echo "$names"
}

# import_base ARCHIVE NAME: makes the archive an image with the name that the registry's would have.
import_base() {
    local container
    container=$(buildah_ from scratch)
    tar --extract --directory "$(buildah_ mount "$container")" --file "$1"
    buildah_ config --env PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin --cmd python3 "$container"
    buildah_ commit --quiet --rm --disable-compression "$container" "docker.io/library/$2" >/dev/null
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
