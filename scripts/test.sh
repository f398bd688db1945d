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
if ! SWIFT_BACKTRACE=enable=no scripts/swift.sh test --skip-build --disable-xctest --parallel 2>&1 | tee "$log"; then
    # What failed stands anywhere among the lines of hundreds of tests: again at the end, where one looks first.
    say '' 'What failed:'
    awk '/^✘|^↳/ { print substr($0, 1, 2000); more = 12; next } /^[✔◇]/ { more = 0 } more-- > 0' "$log"
    die "tests failed"
fi
