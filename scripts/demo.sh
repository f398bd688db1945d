#!/usr/bin/env bash
# Redacts the sample clip with the built program and says where to look.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
output=demo/walk.redacted.mp4
as_owner mkdir -p demo
as_owner rm -f "$output"
as_owner .build/release/veil samples/walk.mp4 -o "$output" --force
[[ -s $output ]] || die "veil reported success but wrote no $output"
say
say "Before: $root/samples/walk.mp4"
say "After:  $root/$output"
say
say "Your own: .build/release/veil INPUT -o OUTPUT (see .build/release/veil --help)"
