#!/usr/bin/env python3
"""Finds, for each encoder, the quality number that looks as good as x264 at CRF 18; see encoders.md.

    docs/measure-encoders.py [ENCODER...]

Needs ffmpeg. Encodes three short contents made from samples/ with the options that Veil sets, and compares by the
SSIM of ffmpeg's filter. Prints, per encoder and content: the worst number whose SSIM isn't below the reference's, its
SSIM, PSNR, size and CPU time per frame.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples")
FRAMES = 50

# Content: input options, filter. The bit rate that caps VP8 follows size and frame rate.
CONTENTS = {
    "walk": (["-i", f"{SAMPLES}/walk.mp4"], "format=yuv420p"),
    "pan": (
        ["-loop", "1", "-framerate", "25", "-i", f"{SAMPLES}/astronaut.jpg"],
        "scale=1536:-2:flags=bicubic,crop=1280:720:x='60+50*sin(t*1.7)':y='120+4*n',format=yuv420p,setparams=range=tv",
    ),
    "dark": (
        ["-i", f"{SAMPLES}/walk.mp4"],
        "lutyuv=y='16+(val-16)/5':u='128+(val-128)/3':v='128+(val-128)/3',"
        "noise=alls=12:allf=t+u:all_seed=1,format=yuv420p",
    ),
}

# Encoder: best and worst number, how the number is given, other options, container.
ENCODERS = {
    "libx264": (0, 51, ["-crf"], [], "mkv"),
    "libx265": (0, 51, ["-crf"], ["-x265-params", "log-level=none"], "mkv"),
    "libvpx-vp9": (0, 63, ["-crf"], ["-b:v", "0", "-cpu-used", "3", "-row-mt", "1"], "mkv"),
    "libvpx": (4, 63, ["-crf"], ["-b:v", "{bits}", "-cpu-used", "2"], "mkv"),
    "libsvtav1": (1, 63, ["-crf"], ["-preset", "7"], "mkv"),
    "libaom-av1": (0, 63, ["-crf"], ["-b:v", "0", "-cpu-used", "6", "-row-mt", "1"], "mkv"),
    "mpeg4": (1, 31, ["-qmin", "1", "-q:v"], [], "mkv"),
    "mpeg2video": (1, 31, ["-qmin", "1", "-q:v"], [], "mkv"),
    "mjpeg": (1, 31, ["-qmin", "1", "-q:v"], ["-strict", "unofficial"], "mkv"),
    "libtheora": (10, 0, ["-q:v"], [], "ogv"),
}

environment = dict(os.environ, SVT_LOG="1")


def run(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["ffmpeg", "-hide_banner", "-nostdin", "-y", *arguments], env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"ffmpeg {' '.join(arguments)}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder, content, encoder, number):
    _, _, flag, options, container = ENCODERS[encoder]
    source = f"{folder}/{content}.y4m"
    target = f"{folder}/{content}.{encoder}.{container}"
    width, height = (1280, 720) if content == "pan" else (640, 360)
    options = [option.format(bits=width * height * 25) for option in options]
    _, seconds = run(["-i", source, "-an", "-pix_fmt", "yuv420p", "-c:v", encoder, *flag, str(number), *options, target])
    text, _ = run(["-i", target, "-i", source, "-lavfi", "[0:v]split[a][b];[1:v]split[c][d];[a][c]ssim;[b][d]psnr",
                   "-f", "null", "-"])
    ssim = float(re.search(r"SSIM .*All:([\d.]+)", text)[1])
    psnr = float(re.search(r"PSNR .*average:([\d.]+|inf)", text)[1])
    return {"number": number, "ssim": ssim, "psnr": psnr, "bytes": os.path.getsize(target), "ms": 1000 * seconds / FRAMES}


def search(folder, content, encoder, goal):
    """The worst number that reaches the goal; SSIM falls as numbers get worse."""
    best, worst = ENCODERS[encoder][:2]
    step = 1 if worst > best else -1
    low, high = 0, abs(worst - best)
    found = measure(folder, content, encoder, best)
    if found["ssim"] < goal:
        return found
    while low < high:
        middle = (low + high + 1) // 2
        tried = measure(folder, content, encoder, best + step * middle)
        if tried["ssim"] >= goal:
            low, found = middle, tried
        else:
            high = middle - 1
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        print("| encoder | content | number | SSIM | PSNR dB | kB | CPU ms/frame |\n|---|---|---|---|---|---|---|")
        goals = {}
        for content, (source, graph) in CONTENTS.items():
            run([*source, "-an", "-vf", graph, "-frames:v", str(FRAMES), f"{folder}/{content}.y4m"])
        for encoder in ["libx264", *(sys.argv[1:] or [name for name in ENCODERS if name != "libx264"])]:
            for content in CONTENTS:
                if encoder == "libx264":
                    result = measure(folder, content, encoder, 18)
                    goals[content] = result["ssim"]
                else:
                    result = search(folder, content, encoder, goals[content])
                short = " (not reached)" if result["ssim"] < goals[content] else ""
                print(f"| {encoder} | {content} | {result['number']}{short} | {result['ssim']:.5f} | {result['psnr']:.1f} "
                      f"| {result['bytes'] / 1000:.0f} | {result['ms']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
