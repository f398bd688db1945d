# shellcheck shell=bash
# What the scripts share. Sourced, never run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

say() { printf '%s\n' "$*"; }

die() {
    printf '%s\n' "error: $*" >&2
    exit 1
}

# as_owner COMMAND...: runs COMMAND as the user who called sudo when the checkout is that user's, else as we are.
# So `sudo make demo` leaves no file behind that its user can't change.
as_owner() {
    if [[ $EUID -ne 0 || ${SUDO_UID:-0} -eq 0 || $(stat -c %u "$root") -ne $SUDO_UID ]]; then
        "$@"
        return
    fi
    local entry name home
    entry=$(getent passwd "$SUDO_UID") || die "no user has the number $SUDO_UID, which sudo named"
    IFS=: read -r name _ _ _ _ home _ <<<"$entry"
    # Things that an earlier run as root left here would stop the user's build.
    local left
    for left in .build Benchmarks/.build demo; do
        if [[ -e $root/$left && $(stat -c %u "$root/$left") -eq 0 ]]; then
            chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$root/$left"
        fi
    done
    runuser -u "$name" -- env HOME="$home" USER="$name" LOGNAME="$name" "$@"
}

# Prints the path of a Swift 6 or newer. sudo and cron cut PATH short, so the usual places are searched too.
find_swift() {
    local home=${HOME:-/root} candidate found='' version
    if [[ -n ${SUDO_USER:-} ]]; then home=$(getent passwd "$SUDO_USER" | cut -d: -f6); fi
    local places=("$(command -v swift || true)" "$home/.local/share/swiftly/bin/swift" /opt/swift*/usr/bin/swift
        /usr/local/swift*/usr/bin/swift /usr/share/swift/usr/bin/swift /usr/libexec/swift/bin/swift)
    # A Swift that was named is the only one that counts.
    [[ -z ${SWIFT:-} ]] || places=("$(command -v "$SWIFT" || true)")
    for candidate in "${places[@]}"; do
        [[ -n $candidate && -x $candidate ]] || continue
        version=$("$candidate" --version 2>/dev/null | grep -oE 'Swift version [0-9]+' | grep -oE '[0-9]+$') || continue
        found="$candidate is Swift $version"
        if ((version >= 6)); then
            say "$candidate"
            return
        fi
    done
    die "Swift 6 or newer is needed (${found:-found none${SWIFT:+ at $SWIFT}}). Install it, or name it: make SWIFT=/path/to/swift"
}
