#!/usr/bin/env bash
# Builds the program for use: .build/release/veil.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read -ra flags <<<"$(release_flags)"
"$root/scripts/swift.sh" build "${flags[@]}" --product veil
