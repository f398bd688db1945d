#!/usr/bin/env bash
# Builds the program for use: .build/release/veil.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# With the Swift runtime linked in, the program starts faster and runs on machines that have no Swift. The linker then
# warns of mktemp inside Foundation, which no one here can change; grep must not hide swift's own exit code.
"$root/scripts/swift.sh" build -c release --static-swift-stdlib --product veil 2>&1 |
    { grep -v --line-buffered 'the use of .mktemp. is dangerous' || true; }
