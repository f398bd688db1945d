#!/usr/bin/env bash
# Runs Swift 6, wherever it is installed, as the user that the checkout belongs to.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
swift=$(find_swift)
cd "$root"
as_owner "$swift" "$@"
