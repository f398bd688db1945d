#!/usr/bin/env bash
# Looks for crashes, hangs and hunger for memory: changed sample files through the built program, then changed plans and
# outlines of containers through the code that reads them, under the address sanitizer. What fails is kept in fuzz/.
#
#   [MUTATIONS=10000] [FROM=0] [SECONDS_OF_PLANS=300] scripts/fuzz.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
mkdir -p fuzz/own-bytes

scripts/swift.sh build --build-tests
VEIL=$root/.build/release/veil VEIL_MUTATIONS=${MUTATIONS:-10000} VEIL_MUTATIONS_FROM=${FROM:-0} \
    VEIL_MUTATIONS_KEEP=$root/fuzz SWIFT_BACKTRACE=enable=no \
    scripts/swift.sh test --skip-build --disable-xctest --filter MutationTests

# libFuzzer wants its own main and every source instrumented: compiled as one program, without the package manager.
swift=$(find_swift)
"${swift}c" -O -sanitize=fuzzer,address -parse-as-library -module-name OwnBytes Sources/VeilCore/*.swift \
    Sources/VeilMedia/{ContainerLength,CodedLayers}.swift Fuzz/OwnBytes.swift -o fuzz/run-own-bytes
for ending in mp4 mov mkv avi; do
    ffmpeg -nostdin -v error -y -f lavfi -i testsrc=s=16x16:d=0.1 -c:v mpeg4 "fuzz/own-bytes/seed.$ending"
done
for codec in libx264 libx265; do
    ffmpeg -nostdin -v error -y -f lavfi -i testsrc=s=16x16:d=0.1 -pix_fmt yuv420p -c:v "$codec" \
        -f "$([[ $codec == libx264 ]] && echo h264 || echo hevc)" "fuzz/own-bytes/seed.$codec"
done
.build/release/veil detect samples/walk.mp4 -q --force -o fuzz/long.json
python3 - fuzz/long.json >fuzz/own-bytes/plan.json <<'PYTHON'
# A plan of few frames: libFuzzer changes small inputs better.
import json, sys
plan = json.load(open(sys.argv[1]))
plan["frames"] = plan["frames"][:4]
plan["source"]["frames"] = len(plan["frames"])
last = plan["frames"][-1]["pts"]
for track in plan["tracks"]:
    track["lastPTS"] = min(track["lastPTS"], last)
plan["tracks"] = [track for track in plan["tracks"] if track["firstPTS"] <= last]
plan["cuts"] = [pts for pts in plan["cuts"] if pts <= last]
print(json.dumps(plan, indent=1))
PYTHON
SWIFT_BACKTRACE=enable=no fuzz/run-own-bytes -max_total_time="${SECONDS_OF_PLANS:-300}" -timeout=20 \
    -rss_limit_mb=1024 -artifact_prefix=fuzz/ fuzz/own-bytes
