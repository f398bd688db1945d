#!/usr/bin/env python3
"""Redact a tree of pictures and videos, kill runs of it at random moments, and look at what came of it.

usage: killed.py [--veil PATH] [--kills 10] [--seed 1] [--exclude PATTERN ...] PATH ...

One run redacts the paths to a first folder, a second run of the same must find nothing to do. Then runs to another folder
are killed (SIGKILL) one after the other, and a last one is left to end. The two trees must be the same, byte for byte, but
for the manifests' times. `veil check` must find a face in the sources and none in the outputs, and exiftool no place, no
thumbnail and no preview in any output.

Prints what it found, ends with 1 if any of this doesn't hold. Takes two to three times as long as redacting the tree once.
Needs: python3, exiftool, diff. Run in the project's folder after `make build`; VEIL_MODELS names other models.
"""
import argparse, json, os, random, resource, signal, subprocess, sys, tempfile, time

options = argparse.ArgumentParser(description="see the head of this file")
options.add_argument("paths", nargs="+")
options.add_argument("--veil", default=".build/release/veil")
options.add_argument("--kills", type=int, default=10)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--exclude", action="append", default=[])
given = options.parse_args()
excluded = [word for pattern in given.exclude for word in ("--exclude", pattern)]
failures = 0


def expect(holds, words):
    global failures
    failures += not holds
    print(("ok    " if holds else "WRONG ") + words, flush=True)


def command(folder):
    return [given.veil, *given.paths, "-o", folder, "--reproducible", "--quiet", *excluded]


def measured(words):
    """Runs to the end: the exit code, seconds by the clock, seconds of the processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    code = subprocess.run(words).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return code, time.monotonic() - start, cpu


def files(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]


def check(paths):
    run = subprocess.run(
        [given.veil, "check", *paths, "--format", "json", "--quiet", *excluded], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


with tempfile.TemporaryDirectory() as scratch:
    whole, killed = os.path.join(scratch, "whole"), os.path.join(scratch, "killed")
    code, length, cpu = measured(command(whole))
    outputs = [path for path in files(whole) if "/.veil" not in path]
    expect(code == 0, f"one run: exit {code}, {len(outputs)} files, {length:.0f} s, {cpu:.1f} CPU-s")
    code, _, again = measured(command(whole))
    expect(code == 0 and again < cpu / 20, f"the same again: exit {code}, {again:.2f} CPU-s, {100 * again / cpu:.2f} %")

    chance = random.Random(given.seed)
    for _ in range(given.kills):
        run = subprocess.Popen(command(killed))
        wait = chance.uniform(0.2, length / max(7, given.kills * 0.7))
        try:
            run.wait(wait)
            print(f"      ended by itself within {wait:.1f} s, exit {run.returncode}", flush=True)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            print(f"      killed after {wait:.1f} s; {len(files(killed))} files are there", flush=True)
    code, _, _ = measured(command(killed))
    # Names of manifests and locks begin with .veil; nothing else may differ or be left over.
    found = subprocess.run(["diff", "-rq", "-x", ".veil-manifest*", whole, killed], capture_output=True, text=True)
    expect(code == 0 and found.returncode == 0, f"after {given.kills} kills and a run: exit {code}, the tree is the same")
    print(found.stdout, end="")

    code, said = check(given.paths)
    with_faces = sum(1 for file in said["files"] if file.get("faces"))
    expect(code == 3, f"veil check of the sources: exit {code}, {said['facesShowing']} faces in {with_faces} files")
    code, said = check([whole])
    expect(code == 0, f"veil check of the outputs: exit {code}, {said['facesShowing']} faces, {said['filesFailed']} failed")

    # Every MP4's header has the two last: from when to when a player may show it in small.
    tags = ["-GPS*", "-*Location*", "-*Thumbnail*", "-*Preview*", "-MPImage*", "-*Region*", "--PreviewTime",
            "--PreviewDuration"]
    run = subprocess.run(["exiftool", "-q", "-q", "-j", "-a", "-G1", *tags, "-r", whole], capture_output=True, text=True)
    telling = {file.pop("SourceFile"): file for file in json.loads(run.stdout or "[]")}
    telling = {file: known for file, known in telling.items() if known}
    expect(not telling, f"exiftool finds no place, thumbnail or preview in {len(outputs)} files")
    for file, known in telling.items():
        print("     ", os.path.relpath(file, whole), known)

sys.exit(1 if failures else 0)
