#!/usr/bin/env bash
# Looks for crashes, hangs and hunger for memory: changed sample files through the built program, then changed plans and
# outlines of containers through the code that reads them, under the address sanitizer, then stills, their metadata and
# pictures through the C and C++ of this tree, under that and the undefined-behaviour one. What fails is kept in fuzz/.
#
#   [MUTATIONS=10000] [FROM=0] [SECONDS_OF_PLANS=300] [SECONDS_OF_SHIMS=120] scripts/fuzz.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
mkdir -p fuzz/own-bytes fuzz/own-shims fuzz/objects

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

# The same for C and C++, which the package's own build doesn't instrument.
shims=(CJPEG/cjpeg.c CPNG/cpng.c CTIFF/ctiff.c CExif/cexif.cpp CVision/{canvas,matcher,faces,runtime}.cpp)
checks=(-g -O1 "-fsanitize=fuzzer-no-link,address,undefined" -fno-sanitize-recover=undefined -isystem /usr/include/opencv4
    -DNDEBUG -ISources/C{JPEG,PNG,TIFF,Exif,Vision}/include)
objects=()
for shim in "${shims[@]}"; do
    object=fuzz/objects/$(basename "${shim%.*}").o
    objects+=("$object")
    if [[ $shim == *.c ]]; then
        "${swift%swift}clang" "${checks[@]}" -c "Sources/$shim" -o "$object"
    else
        "${swift%swift}clang++" -std=c++17 "${checks[@]}" -c "Sources/$shim" -o "$object"
    fi
done
"${swift%swift}clang++" -std=c++17 -fuse-ld=bfd "${checks[@]}" -fsanitize=fuzzer Fuzz/OwnShims.cpp "${objects[@]}" \
    -ljpeg -lpng16 -ltiff -lexiv2 -lopencv_core -lopencv_imgproc -lopencv_objdetect -lopencv_dnn -o fuzz/run-own-shims
# A letter that says what is meant, fourteen numbers, and a file.
for ending in jpg png tif; do
    ffmpeg -nostdin -v error -y -f lavfi -i testsrc=s=24x18 -frames:v 1 "fuzz/objects/seed.$ending"
    { printf '%s' "${ending::1}" && head -c 14 /dev/zero && cat "fuzz/objects/seed.$ending"; } >"fuzz/own-shims/$ending"
done
{ printf 'x' && head -c 14 /dev/zero && printf 'II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0'; } >fuzz/own-shims/exif
for letter in c m; do
    printf '%s(\36\1\2\1\1\0\0(\36\1\24\24\0%s' "$letter" "$(head -c 200 fuzz/objects/seed.jpg | base64)" >"fuzz/own-shims/$letter"
done
fuzz/run-own-shims -max_total_time="${SECONDS_OF_SHIMS:-120}" -timeout=20 -rss_limit_mb=1024 -max_len=4096 \
    -artifact_prefix=fuzz/ fuzz/own-shims
