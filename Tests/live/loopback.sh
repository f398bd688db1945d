#!/usr/bin/env bash
# Tries `veil live` on capture devices of another kind: an X server's screen, a stream over UDP, a browser.
#
# usage: Tests/live/loopback.sh CLIP FOLDER
#
# Plays CLIP on the screen of an Xvfb of its own and grabs it with x11grab, sends it over UDP to and from the program,
# takes a picture of the preview window and, where chromium is installed, of the page. What came out lies in FOLDER.
# Needs: xvfb, ffmpeg (with ffplay), imagemagick, python3; chromium if it is there.
set -euo pipefail
clip=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
veil=${VEIL:-.build/release/veil}
screen=:$((90 + RANDOM % 900))
started=()
trap 'kill "${started[@]}" 2>/dev/null || true' EXIT

frames() { ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 "$1"; }

Xvfb "$screen" -screen 0 1280x720x24 -nolisten tcp >/dev/null 2>&1 &
started+=($!)
sleep 2
export DISPLAY=$screen

echo "1. a screen, grabbed"
SDL_VIDEODRIVER=x11 ffplay -v quiet -an -loop 0 -noborder -left 0 -top 0 -x 1280 -y 720 "$clip" &
started+=($!)
player=$!
sleep 2
"$veil" live -i "x11grab:$screen" --size 1280x720 --rate 30 --duration 8 -o "$out/screen.mkv" --force --stats json \
    >"$out/screen.json"
kill "$player"
echo "   $(frames "$out/screen.mkv") frames; $(cat "$out/screen.json")"

echo "2. a stream over UDP, both ways"
"$veil" live -i "udp://127.0.0.1:18801?timeout=20000000" -o udp://127.0.0.1:18802 -o "$out/udp.mkv" --force \
    --duration 6 --stats json >"$out/udp.json" &
receiver=$!
started+=("$receiver")
timeout 30 ffmpeg -v fatal -y -analyzeduration 500000 -probesize 500000 -i "udp://127.0.0.1:18802?timeout=25000000" -t 2 -c copy "$out/udp-out.ts" &
started+=($!)
sleep 1
ffmpeg -v error -re -stream_loop -1 -i "$clip" -t 12 -an -c:v libx264 -preset ultrafast -g 15 -f mpegts \
    udp://127.0.0.1:18801 &
started+=($!)
wait "$receiver"
sleep 1
echo "   $(frames "$out/udp.mkv") frames recorded, $(frames "$out/udp-out.ts") received; $(cat "$out/udp.json")"

echo "3. the window, and the page"
"$veil" live -i "$clip" --show numbers --show boxes -o window --serve 127.0.0.1:18803 --stats json >"$out/window.json" &
shown=$!
started+=("$shown")
sleep 3
import -window root "$out/window.png"
if command -v chromium >/dev/null; then
    # On a busy machine the first picture may come after the browser's time is up.
    for budget in 500 2000 4000; do
        timeout 20 chromium --headless --no-sandbox --disable-gpu --window-size=1280,720 \
            --virtual-time-budget=$budget --screenshot="$out/page.png" http://127.0.0.1:18803/ >/dev/null 2>&1 || true
        if [ "$(stat -c %s "$out/page.png" 2>/dev/null || echo 0)" -gt 20000 ]; then break; fi
    done
fi
curl -s --noproxy "*" --max-time 1 http://127.0.0.1:18803/stream.mjpeg >"$out/stream.mjpeg" || true
echo "   $(grep -a -c veilframe "$out/stream.mjpeg" || true) JPEGs in a second"
wait "$shown" || true
ls -l "$out"
