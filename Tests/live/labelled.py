#!/usr/bin/env python3
"""Measure `veil live` on labelled clips that are played as a camera of 720p at 30 frames a second.

usage: labelled.py CLIPS LEAK [--veil PATH] [--keep FOLDER] [--only NAME ...] [-- FLAGS FOR VEIL LIVE]

CLIPS is a folder of NAME.mp4 (.mkv, .mov) and NAME.faces.json, LEAK a program that is called as
LEAK --min-face 24 ORIGINAL REDACTED LABELS and prints lines such as "face-frames 120", "leaked 3": the one that
"swift build -c release --package-path Benchmarks --product leak" makes, or a script in Python.

Each clip is scaled to fit 1280x720 and brought to 30 frames a second at its own speed (frames are doubled or left
out); the labels are scaled and doubled with it. `veil live` records it in real time. Printed for each clip, and in
total: labelled face-frames and how many of them show, frames dropped, frames covered whole after the first second, and
the 99th percentile of the age of the newest search.
Needs: python3, ffmpeg and ffprobe, and what LEAK needs. A machine that is busy with other things gives worse numbers.
"""
import argparse, json, os, re, subprocess, sys, tempfile


def labels_by_index(truth):
    frames = truth["frames"]
    if isinstance(frames, dict):
        return {int(k): v for k, v in frames.items()}
    return {f["index"]: f["faces"] for f in frames}


def prepare(clip, labels, video, scaled):
    """Writes the clip at 720p30 and its labels."""
    truth = json.load(open(labels))
    w, h = truth["width"], truth["height"]
    s = min(1280 / w, 720 / h)
    W, H = round(w * s / 2) * 2, round(h * s / 2) * 2
    lines = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time",
         "-of", "csv=p=0", clip], capture_output=True, text=True, check=True).stdout.split()
    times = [float(x.strip(",")) for x in lines if x.strip(",") not in ("", "N/A")]
    times = [t - times[0] for t in times]
    length = times[-1] + (times[-1] - times[-2] if len(times) > 1 else 1 / 30)
    chosen, k = [], 0
    for i in range(round(length * 30)):
        while k + 1 < len(times) and times[k + 1] <= i / 30 + 1e-6:
            k += 1
        chosen.append(k)
    read = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-i", clip, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
         f"scale={W}:{H}:flags=bicubic,format=yuv420p,setsar=1", "-f", "rawvideo", "-"], stdout=subprocess.PIPE)
    write = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{W}x{H}", "-r", "30", "-i",
         "-", "-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-crf", "14", video], stdin=subprocess.PIPE)
    size, at, picture = W * H * 3 // 2, -1, b""
    for k in chosen:
        while at < k:
            picture = read.stdout.read(size) or picture
            at += 1
        write.stdin.write(picture)
    write.stdin.close()
    write.wait()
    read.kill()
    read.wait()
    known = labels_by_index(truth)

    def scale(face):
        return {**face, "x": face["x"] * W / w, "w": face["w"] * W / w, "y": face["y"] * H / h, "h": face["h"] * H / h}

    json.dump({"width": W, "height": H, "frames": [
        {"index": i, "faces": [scale(f) for f in known.get(k, [])]} for i, k in enumerate(chosen)]}, open(scaled, "w"))


def figure(text, name):
    found = re.search(rf"^{name}\s+([\d.]+)", text, re.M)
    return float(found[1]) if found else 0.0


def main():
    own, extra = sys.argv[1:], []
    if "--" in own:
        own, extra = own[:own.index("--")], own[own.index("--") + 1:]
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("clips"), ap.add_argument("leak")
    ap.add_argument("--veil", default=os.path.join(os.path.dirname(__file__), "../../.build/release/veil"))
    ap.add_argument("--keep"), ap.add_argument("--only", nargs="*")
    a = ap.parse_args(own)
    folder = a.keep or tempfile.mkdtemp(prefix="veil-live-")
    os.makedirs(folder, exist_ok=True)
    counter = [sys.executable, a.leak] if a.leak.endswith(".py") else [a.leak]
    total = dict(faces=0, leaked=0, frames=0, dropped=0, later=0, whole=0)
    worst = 0.0
    for name in sorted(f[:-len(".faces.json")] for f in os.listdir(a.clips) if f.endswith(".faces.json")):
        if a.only and name not in a.only:
            continue
        clip = next(os.path.join(a.clips, name + e) for e in (".mp4", ".mkv", ".mov")
                    if os.path.exists(os.path.join(a.clips, name + e)))
        video, scaled = os.path.join(folder, name + ".mp4"), os.path.join(folder, name + ".json")
        if not os.path.exists(scaled):
            prepare(clip, os.path.join(a.clips, name + ".faces.json"), video, scaled)
        out = os.path.join(folder, name + ".live.mkv")
        run = subprocess.run([a.veil, "live", "-i", video, "-o", out, "--force", "-q", "--stats", "json"] + extra,
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{name}: {run.stderr}")
        s = json.loads(run.stdout)
        leak = subprocess.run(counter + ["--min-face", "24", video, out, scaled], capture_output=True,
                              text=True).stdout
        faces, leaked = figure(leak, "face-frames"), figure(leak, "leaked")
        lost = s["dropped"] + sum(o["dropped"] for o in s["outputs"])
        age = s["age"]["p99"]
        worst = max(worst, age)
        for key, value in dict(faces=faces, leaked=leaked, frames=s["captured"], dropped=lost,
                               later=s["shownAfterFirstSecond"], whole=s["coveredWholeAfterFirstSecond"]).items():
            total[key] += value
        print(f"{name:26} faces {faces:5.0f} leaked {leaked:4.0f}  dropped {lost}/{s['captured']}  whole "
              f"{s['coveredWholeAfterFirstSecond']}/{s['shownAfterFirstSecond']}  age p99 {age * 1000:.0f} ms  latency "
              f"{s['latency']['median'] * 1000:.0f}/{s['latency']['p99'] * 1000:.0f} ms  touched "
              f"{figure(leak, 'touched'):.3f}", flush=True)
    t = total
    print(f"total: leaked {t['leaked']:.0f} of {t['faces']:.0f} ({100 * t['leaked'] / max(1, t['faces']):.2f} %), dropped "
          f"{100 * t['dropped'] / max(1, t['frames']):.2f} %, covered whole after the first second "
          f"{100 * t['whole'] / max(1, t['later']):.2f} %, worst age p99 {worst * 1000:.0f} ms")


main()
