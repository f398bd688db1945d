#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are missing; says and does nothing if none is.
#
#   scripts/packages.sh build [fetch] [test]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ ${PACKAGES:-} != skip ]] || exit 0
groups=" $* "
wanted=()
while read -r group package _; do
    [[ $group == '#'* || -z $group || $groups != *" $group "* ]] || wanted+=("$package")
done <"$root/scripts/debian-packages.txt"

command -v dpkg-query >/dev/null ||
    die "this isn't Debian: install what scripts/debian-packages.txt names, then run make with PACKAGES=skip"

# dpkg-query fails for names that it doesn't know; those are the missing ones.
installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
    awk '$1 == "ii" { print $2 }') || true
missing=()
for package in "${wanted[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
    # With a terminal sudo may ask for the password; without one it must not wait for it.
    if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
        as_root=(sudo)
    else
        die "Debian packages are missing; as root run: apt-get install --no-install-recommends ${missing[*]}"
    fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    local try
    for try in 1 2 3; do
        if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 "$@" >"$log" 2>&1 </dev/null; then
            return
        fi
        ((try == 3)) || sleep 2
    done
    cat "$log" >&2
    die "apt-get $1 failed three times"
}

say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
[[ ${#as_root[@]} -eq 0 ]] || sudo -v
apt update
apt install --yes --no-install-recommends "${missing[@]}"
