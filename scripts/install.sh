#!/usr/bin/env bash
# Copies the built program, its models, manual and completions to $DESTDIR$PREFIX, or removes them again.
#
#   [DESTDIR=...] [PREFIX=/usr/local] scripts/install.sh install|uninstall
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || die "PREFIX must be an absolute path, not $prefix"
to=${DESTDIR:-}${prefix%/}
program=.build/release/veil

readonly manual=share/man/man1/veil.1
readonly -A completions=(
    [bash]=share/bash-completion/completions/veil
    [zsh]=share/zsh/site-functions/_veil
    [fish]=share/fish/vendor_completions.d/veil.fish
)

# put SOURCE PLACE [MODE]: copies SOURCE to PLACE below the prefix.
put() {
    install -D -m "${3:-644}" -- "$1" "$to/$2" || die "can't write $to/$2; use sudo or another PREFIX"
}

install_all() {
    local shell licence
    [[ -x $program ]] || die "$program isn't built: run make build"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # All of it is made before anything is copied, so that a failure leaves nothing half installed.
    "$program" man >"$work/man" || die "$program man failed"
    for shell in "${!completions[@]}"; do
        "$program" completions "$shell" >"$work/$shell" || die "$program completions $shell failed"
    done
    put "$program" bin/veil 755
    put Models/manifest.json share/veil/models/manifest.json
    put Models/centerface.onnx share/veil/models/centerface.onnx
    put "$work/man" "$manual"
    for shell in "${!completions[@]}"; do put "$work/$shell" "${completions[$shell]}"; done
    for licence in LICENSE LICENSES/*; do put "$licence" "share/doc/veil/$licence"; done
    say "Installed $to/bin/veil, with its models in $to/share/veil/models"
}

uninstall_all() {
    local shell
    rm -f -- "$to/bin/veil" "$to/$manual"
    for shell in "${!completions[@]}"; do rm -f -- "$to/${completions[$shell]}"; done
    rm -rf -- "$to/share/veil" "$to/share/doc/veil"
    say "Removed veil from $to"
}

case ${1:-} in
install) install_all ;;
uninstall) uninstall_all ;;
*) die "usage: $0 install|uninstall" ;;
esac
