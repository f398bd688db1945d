#!/usr/bin/env bash
# Makes the pictures in docs/images anew, with the built veil and ffmpeg, from samples/ only.
#
#   docs/make-images.sh [VEIL]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
veil=${1:-$root/.build/release/veil}
[[ -x $veil ]] || {
    printf '%s\n' "$veil isn't built: run make build" >&2
    exit 1
}
images=$root/docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$images"
clip=$root/samples/walk.mp4

for effect in pixellate blur solid; do
    "$veil" --quiet "$clip" -o "$work/$effect.mkv" --effect "$effect"
done

# still INPUT SECONDS OUTPUT
still() { ffmpeg -hide_banner -nostdin -loglevel error -y -i "$1" -ss "$2" -frames:v 1 "$3"; }

# sheet FILTER OUTPUT INPUT...: lays pictures out as one JPEG.
sheet() {
    local filter=$1 output=$2 input
    local inputs=()
    shift 2
    for input in "$@"; do inputs+=(-i "$input"); done
    ffmpeg -hide_banner -nostdin -loglevel error -y "${inputs[@]}" -filter_complex "$filter" \
        -frames:v 1 -q:v 4 -map_metadata -1 -fflags +bitexact -flags:v +bitexact "$output"
}

still "$clip" 0.6 "$work/before.png"
still "$work/pixellate.mkv" 0.6 "$work/after.png"
sheet '[0:v]pad=iw+8:ih:0:0:white[a];[a][1:v]hstack' "$images/before-after.jpg" "$work/before.png" "$work/after.png"

for effect in pixellate blur solid; do still "$work/$effect.mkv" 2.6 "$work/$effect.png"; done
sheet "[0:v]crop=320:260:215:0,pad=iw+8:ih:0:0:white[a];[1:v]crop=320:260:215:0,pad=iw+8:ih:0:0:white[b];
[2:v]crop=320:260:215:0[c];[a][b][c]hstack=inputs=3" "$images/effects.jpg" "$work/pixellate.png" "$work/blur.png" \
    "$work/solid.png"

ls -l "$images"
