#!/usr/bin/env bash
# Checks the form of all tracked Swift files and, where shellcheck is installed, of all shell scripts.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
swift=$(find_swift)

# Git lists only files that belong to the project. In a tree without its .git, look for them.
files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z -- "$@"
    else
        local pattern
        for pattern in "$@"; do
            find . -name .build -prune -o -type f -name "${pattern##*/}" -print0
        done
    fi
}

files '*.swift' | xargs -0r "$swift" format lint --strict --parallel
if command -v shellcheck >/dev/null; then
    files '*.sh' | xargs -0r shellcheck --external-sources
    shellcheck --external-sources .ci/run
else
    say "shellcheck isn't installed: the shell scripts were not checked"
fi
