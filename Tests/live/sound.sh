#!/usr/bin/env bash
# Tries `veil live --mic pulse:…` without a microphone, and measures how far sound and picture are apart.
#
# usage: Tests/live/sound.sh FOLDER
#
# Starts a PulseAudio server of its own, whose only device goes nowhere; the monitor of that device is the microphone. Every
# two seconds an Xvfb's screen, which is the camera, turns white and a beep is played to the device, at the same moment, but
# for some 60 ms that the beep spends in buffers before it sounds. Printed is, for each flash in the recording, how much later
# its beep begins. What came out lies in FOLDER.
# Needs: pulseaudio, pulseaudio-utils, xvfb, ffmpeg, python3 with numpy.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
veil=${VEIL:-.build/release/veil}
home=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; rm -rf "$home"' EXIT
export XDG_RUNTIME_DIR=$home PULSE_RUNTIME_PATH=$home PULSE_STATE_PATH=$home HOME=$home PULSE_SERVER=unix:$home/native

pulseaudio -n --daemonize=no --exit-idle-time=-1 --disallow-exit --use-pid-file=no \
    -L "module-null-sink sink_name=nowhere" -L "module-native-protocol-unix auth-anonymous=1 socket=$home/native" \
    2>"$out/pulseaudio.log" &
started+=($!)
for _ in $(seq 100); do
    if [ -S "$home/native" ]; then break; fi
    sleep 0.1
done

"$veil" live --list-devices | grep pulse
screen=:$((90 + RANDOM % 900))
Xvfb "$screen" -screen 0 320x180x24 -nolisten tcp >/dev/null 2>&1 &
started+=($!)
sleep 2
"$veil" live -i "x11grab:$screen" --size 320x180 --rate 25 --mic pulse:nowhere.monitor -o "$out/sound.mkv" --force \
    --preset ultrafast --duration 24 --stats json >"$out/sound.json" &
running=$!
started+=("$running")
python3 - "$screen" <<'PYTHON'
import ctypes, fcntl, subprocess, sys
import numpy as np

RATE, SECONDS = 50, 20
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
x.XDefaultRootWindow.restype = ctypes.c_ulong
x.XSetWindowBackground.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
x.XClearWindow.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
display = x.XOpenDisplay(sys.argv[1].encode())
root = x.XDefaultRootWindow(display)


def paint(color):
    x.XSetWindowBackground(display, root, color)
    x.XClearWindow(display, root)
    x.XSync(display, 0)


beep = (np.sin(np.arange(48000 // RATE) * 2 * np.pi * 1000 / 48000) * 20000).astype("<i2").tobytes()
quiet = bytes(len(beep))
player = subprocess.Popen(["pacat", "--playback", "--device=nowhere", "--rate=48000", "--channels=1", "--format=s16le",
                           "--latency-msec=20"], stdin=subprocess.PIPE)
# What waits in the pipe is heard later: 4096 bytes, 43 ms.
fcntl.fcntl(player.stdin, 1031, 4096)
paint(0x505050)
# The player takes sound as fast as it is played.
for i in range(SECONDS * RATE):
    k = i % (2 * RATE) - RATE
    if k == 0:
        paint(0xFFFFFF)
    elif k == RATE // 5:
        paint(0x505050)
    player.stdin.write(beep if 0 <= k < RATE // 5 else quiet)
    player.stdin.flush()
player.stdin.close()
player.wait()
PYTHON
wait "$running"

python3 - "$out/sound.mkv" <<'PYTHON'
import subprocess, sys
import numpy as np


def read(arguments, kind):
    return np.frombuffer(subprocess.run(["ffmpeg", "-v", "error", "-i", sys.argv[1]] + arguments + ["-"],
                                        capture_output=True, check=True).stdout, kind)


def starts(stream):
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries",
                           "frame=best_effort_timestamp_time", "-of", "csv=p=0", sys.argv[1]],
                          capture_output=True, text=True, check=True).stdout
    return [float(x.strip(",")) for x in text.split() if x.strip(",")]


times = starts("v:0")
light = read(["-map", "0:v", "-fps_mode", "passthrough", "-vf", "scale=1:1,format=gray", "-f", "rawvideo"], np.uint8)
flashes = [t for t, a, b in zip(times[1:], light, light[1:]) if a < 150 < b]
# Silence is put where the sound has gaps, so that its samples are its times.
sound = read(["-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-f", "s16le", "-ac", "1", "-ar", "48000"],
             "<i2").astype(float)
loud = np.convolve(np.abs(sound), np.ones(96) / 96, "same") > 2000
beeps = [i / 48000 for i in np.flatnonzero(loud[1:] & ~loud[:-1])]
beeps = [b for i, b in enumerate(beeps) if i == 0 or b - beeps[i - 1] > 0.5]
gaps = [min((b - f for b in beeps), key=abs) for f in flashes if beeps]
print(f"{len(flashes)} flashes, {len(beeps)} beeps; each beep comes so much later, in ms:",
      " ".join(f"{g * 1000:.0f}" for g in gaps))
PYTHON
