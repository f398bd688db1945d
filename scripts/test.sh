#!/usr/bin/env bash
# Builds everything in debug form, refuses warnings in our own code, checks the form, and runs all tests.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
scripts/swift.sh build --build-tests 2>&1 | tee "$log"
# Only what is compiled now can warn; a build from nothing, as in CI, sees all of it.
if grep -qE '(Sources|Tests)/[^:]*:[0-9]+:[0-9]+: warning:' "$log"; then
    die "the build printed warnings, and this project allows none"
fi

scripts/lint.sh

# The backtracer would hold on to the output for minutes after a crash.
SWIFT_BACKTRACE=enable=no scripts/swift.sh test --skip-build --disable-xctest --parallel
