#!/usr/bin/env python3
"""Judges what guest.sh left in a folder: prints a line for each thing that should hold, and fails if one doesn't."""
import json
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
WIDTH, HEIGHT = 192, 108
# In the picture that guest.sh sends: the inner face, and a part beside it. (In so small a picture, the tip of the shuttle
# is taken for a face too.)
FACE = (66, 30, 90, 64)
REST = (130, 66, 172, 104)
# The white mark that moves: a column through it.
MARK = 182
# A face shows where more than a third of its fine detail is left, as in docs/live.md.
DETAIL = 1 / 3
failures = 0


def check(holds, text):
    global failures
    failures += not holds
    print(("PASS" if holds else "FAIL") + ": " + text)


def text(name):
    path = folder / name
    return path.read_text(errors="replace") if path.exists() else ""


def numbers(name):
    try:
        return json.loads(text(name + ".json"))
    except ValueError:
        return None


def luma(name, width, height, *before):
    """The frames of a file as bytes of their luma planes."""
    if not (folder / name).exists():
        return []
    done = subprocess.run(
        ["ffmpeg", "-v", "fatal", "-nostdin", *before, "-i", str(folder / name), "-vf", "extractplanes=y",
         "-fps_mode", "passthrough", "-f", "rawvideo", "-"], stdout=subprocess.PIPE, check=False).stdout
    size = width * height
    return [done[at:at + size] for at in range(0, len(done) - size + 1, size)]


def pictures(name, pattern, *before):
    """A dozen frames of a file on one sheet, for a person to look at."""
    subprocess.run(
        ["ffmpeg", "-v", "fatal", "-nostdin", "-y", *before, "-i", str(folder / name), "-vf",
         f"{pattern},scale=320:-2,tile=4x3", "-frames:v", "1", str(folder / (pathlib.Path(name).stem + ".png"))],
        check=False)


def detail(frame, width, box):
    """How much samples differ from the mean of their neighbours to the left and right."""
    total = 0
    for y in range(box[1], box[3]):
        row = frame[y * width + box[0]:y * width + box[2]]
        total += sum(abs(2 * b - a - c) for a, b, c in zip(row, row[1:], row[2:]))
    return total


def difference(a, b, width, box):
    """The mean difference in a box, in levels."""
    total = 0
    for y in range(box[1], box[3]):
        start, end = y * width + box[0], y * width + box[2]
        total += sum(abs(p - q) for p, q in zip(a[start:end], b[start:end]))
    return total / (box[2] - box[0]) / (box[3] - box[1])


def list_of_devices():
    lines = text("devices.txt")
    camera = lines.partition("/dev/video0: vivid")[2].partition("/dev/video")[0]
    check("YUYV (YUYV 4:2:2)" in camera and "320x180 at 1 2 4 5 10" in camera,
          "--list-devices names the camera, a format, sizes and rates")
    check("/dev/video11: vivid (output only)" in lines, "--list-devices names the output device")
    check("Y16 -BE" in camera and "\ufffd" not in lines, "names of big-endian formats are plain text")
    check("alsa:hw:CARD=Loopback" in lines, "--list-devices names the sound card")


def through():
    sent = luma("feed.yuv", WIDTH, HEIGHT, "-f", "rawvideo", "-pix_fmt", "yuyv422", "-s", f"{WIDTH}x{HEIGHT}")
    raw = ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{WIDTH}x{HEIGHT}")
    back = luma("back.yuv", WIDTH, HEIGHT, *raw)
    if not sent or not back:
        check(False, "pictures can be read back from what was written to the output device")
        return
    original = detail(sent[0], WIDTH, FACE)
    bare, alike, places = 0, 0, set()
    for frame in back:
        left = detail(frame, WIDTH, FACE) / original
        bare += left > DETAIL
        if difference(frame, sent[0], WIDTH, REST) < 6:
            alike += 1
            bright = [y for y in range(HEIGHT) if frame[y * WIDTH + MARK] > 200]
            places.add(min(bright, default=-1))
    print(f"      {len(back)} frames read back; {alike} of them alike but for the face, {bare} with a bare face")
    check(bare == 0, "no frame that was read back shows the face")
    check(alike >= 10, "beside the face the picture is as it was sent")
    check(len(places) >= 3, "the picture that is read back moves")
    kept = numbers("through")
    check(kept is not None and all(o["written"] > 0 and not o["failures"] for o in kept["outputs"]),
          "device and recording were written without a failure")
    check(len(luma("through.mkv", WIDTH, HEIGHT)) > 0, "the recording plays")
    pictures("back.yuv", "select='not(mod(n\\,45))'", *raw)
    pictures("through.mkv", "select='not(mod(n\\,45))'")


def refused():
    log = text("refused.log")
    check(log.count("/dev/video21: writing: Invalid argument") >= 2 and "busy" not in log,
          "an output device that failed is let go of and opened again")


def away():
    log = text("away.log")
    check(len(re.findall("/dev/video0: .*waiting for it", log)) >= 2, "a camera that went away is waited for")
    check("No such file" in log, "the device was gone")
    frames = luma("away.mkv", 320, 180)
    # One still picture, covered whole, is shown while the camera is away; at other times the picture moves.
    whole = (0, 0, 320, 180)
    moves = [difference(a, b, 320, whole) > 0.5 for a, b in zip(frames, frames[1:])]
    runs = []
    for move in moves:
        if runs and runs[-1][0] == move:
            runs[-1][1] += 1
        else:
            runs.append([move, 1])
    still = [n for n, (move, length) in enumerate(runs) if not move and length >= 10]
    after = sum(length for move, length in runs[still[-1] + 1:] if move) if still else 0
    print(f"      {len(frames)} frames; still for {[runs[n][1] for n in still]}, {after} moving ones after that")
    check(len(still) >= 1, "its last picture is shown meanwhile")
    check(after >= 20, "the picture goes on when the camera is back")
    kept = numbers("away")
    # A still picture that comes a little before or after is whatever the camera gave.
    covered = kept["reasons"]["damaged"] if kept else 0
    check(covered >= 20 and covered > 0.8 * sum(runs[n][1] for n in still), "what is shown meanwhile is covered whole")
    pictures("away.mkv", "select='not(mod(n\\,40))'")


def sound():
    done = subprocess.run(
        ["ffmpeg", "-v", "fatal", "-nostdin", "-i", str(folder / "mic.mkv"), "-map", "0:a", "-ac", "1", "-ar", "8000",
         "-f", "s16le", "-"], stdout=subprocess.PIPE, check=False).stdout
    samples = memoryview(done[:len(done) // 2 * 2]).cast("h")
    # A tone of 440 Hz crosses zero 880 times a second; what is silent is left out.
    crossings = pieces = 0
    for at in range(0, len(samples) - 800, 800):
        piece = samples[at:at + 800]
        if max(piece) > 1000:
            pieces += 1
            crossings += sum((a < 0) != (b < 0) for a, b in zip(piece, piece[1:]))
    tone = crossings / pieces * 5 if pieces else 0
    print(f"      {len(samples) / 8000:.1f} s of sound, {pieces / 10:.1f} s of it a tone of {tone:.0f} Hz")
    check(pieces >= 30 and abs(tone - 440) < 25, "sound from an ALSA device is recorded")


for part in (list_of_devices, through, refused, away, sound):
    part()
check((folder / "kernel.txt").exists() and not text("kernel.txt"), "the trials ran to their end without a crash")
print(f"{failures} failed" if failures else "all passed")
sys.exit(1 if failures else 0)
