#!/usr/bin/env python3
"""Measure what `veil live` adds between a picture's capture and its coming out, by a time stamp drawn into the picture.

usage: latency.py [--veil PATH] [--seconds 10] [-- FLAGS FOR VEIL LIVE]

Writes a 1280x720 picture 30 times a second to the program's standard input, with the time of writing drawn into it as
32 black and white squares, and reads the squares from the raw frames that it writes. Pictures that are covered whole
can't be read and are counted apart.
Needs: python3 with numpy. A machine that is busy with other things gives worse numbers.
"""
import argparse, os, subprocess, sys, threading, time
import numpy as np

W, H, SIDE = 1280, 720, 40


def main():
    own, extra = sys.argv[1:], []
    if "--" in own:
        own, extra = own[:own.index("--")], own[own.index("--") + 1:]
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--veil", default=os.path.join(os.path.dirname(__file__), "../../.build/release/veil"))
    ap.add_argument("--seconds", type=float, default=10)
    a = ap.parse_args(own)
    run = subprocess.Popen([a.veil, "live", "-i", "-", "-o", "-", "--format", "rawvideo", "-q"] + extra,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    start = time.monotonic()

    def write():
        rng = np.random.default_rng(1)
        luma = np.kron(rng.integers(60, 180, (H // 8, W // 8), dtype=np.uint8), np.ones((8, 8), np.uint8))
        chroma = bytes([128]) * (W * H // 2)
        run.stdin.write(b"YUV4MPEG2 W%d H%d F30:1 Ip A1:1 C420jpeg\n" % (W, H))
        for i in range(int(a.seconds * 30)):
            rest = start + i / 30 - time.monotonic()
            if rest > 0:
                time.sleep(rest)
            stamp = int((time.monotonic() - start) * 1e5)
            for bit in range(32):
                luma[0:SIDE, bit * SIDE:(bit + 1) * SIDE] = 235 if stamp >> bit & 1 else 16
            run.stdin.write(b"FRAME\n" + luma.tobytes() + chroma)
            run.stdin.flush()
        run.stdin.close()

    writer = threading.Thread(target=write)
    writer.start()
    delays, covered, count = [], 0, 0
    while True:
        raw = run.stdout.read(W * H * 3 // 2)
        if len(raw) < W * H * 3 // 2:
            break
        now = time.monotonic() - start
        count += 1
        row = np.frombuffer(raw, np.uint8, W * SIDE).reshape(SIDE, W)[SIDE // 2]
        bits = [int(row[bit * SIDE + SIDE // 2]) for bit in range(32)]
        stamp = sum((b > 128) << i for i, b in enumerate(bits)) / 1e5
        if not all(b < 40 or b > 210 for b in bits) or not 0 <= now - stamp < 5:
            covered += 1
            continue
        delays.append((now - stamp) * 1000)
    writer.join()
    run.wait()
    d = np.array(delays)
    print(f"{count} frames, {covered} covered whole; added: median {np.median(d):.1f} ms, p99 "
          f"{np.percentile(d, 99):.1f} ms, at most {d.max():.1f} ms (one frame time is 33.3 ms)")


main()
