#!/usr/bin/env bash
# Tries `veil live` on V4L2 and ALSA devices, without any: in a virtual machine with the kernel's own test devices.
#
# usage: Tests/vm/run.sh [FOLDER]
#
# Boots Debian's kernel in QEMU, by software emulation, with vivid (three V4L2 devices; two of them pass on what is
# written to them) and snd-aloop (a sound card that does). guest.sh uses them there, judge.py looks at what came out.
# What came out lies in FOLDER (.build/vm/results). Packages are fetched with apt-get into .build/vm and unpacked there;
# none is installed. Needs: a release build (or VEIL=PATH), the model, ffmpeg, python3, 4 GB of memory, 10 minutes.
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
home=$tree/.build/vm
results=$(realpath -m "${1:-$home/results}")
cd "$tree"
veil=$(realpath "${VEIL:-.build/release/veil}")
# Seconds after which the machine is stopped.
limit=${VM_LIMIT:-1800}

say() { printf '%s\n' "vm: $*"; }

die() {
    say "error: $*" >&2
    exit 2
}

[[ -x $veil ]] || die "no program at $veil; make build makes it"
mkdir -p "$home"

# fetch NAME...: unpacks packages, and what of their dependencies isn't installed, below $home/root.
fetch() {
    local packages=$home/packages names package
    rm -rf "$packages" "$home/root.part"
    mkdir -p "$packages" "$home/root.part"
    # The kernel's dependencies are tools to install it, which nobody needs here.
    names=$(
        printf '%s\n' "$@"
        apt-get --simulate --no-install-recommends install "$@" | awk '/^Inst/ { print $2 }'
        apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }'
    )
    # shellcheck disable=SC2046 # a list of names
    (cd "$packages" && apt-get download --quiet $(sort -u <<<"$names"))
    for package in "$packages"/*.deb; do dpkg-deb --extract "$package" "$home/root.part"; done
    rm -rf "$packages" "$home/root"
    mv "$home/root.part" "$home/root"
}

if [[ ! -d $home/root ]]; then
    say "fetching QEMU, the kernel and some tools"
    fetch qemu-system-x86 qemu-system-data seabios busybox-static cpio kmod v4l-utils
fi
root=$home/root
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu

shopt -s nullglob
kernels=("$root"/boot/vmlinuz-*)
((${#kernels[@]} == 1)) || die "no kernel in $root; remove it and try again"
release=${kernels[0]##*/vmlinuz-}

# An initramfs with busybox and the modules, in the order in which they are to be loaded.
initramfs=$home/initramfs
rm -rf "$initramfs"
mkdir -p "$initramfs"/{bin,dev,proc,host,modules}
cp "$root/bin/busybox" "$initramfs/bin/busybox"
cp Tests/vm/init.sh "$initramfs/init"
printf '%s\n' "$tree" >"$initramfs/tree"
# kmod is what it is called: depmod and modprobe are links to it.
as() { (export LD_LIBRARY_PATH=$libraries && exec -a "$1" "$root/bin/kmod" "${@:2}"); }
as depmod -b "$root" "$release"
for module in virtio_pci 9pnet_virtio 9p vivid snd-aloop; do
    as modprobe -d "$root" -S "$release" --show-depends "$module"
    # vivid itself is loaded by guest.sh, with its parameters.
done | awk '$1 == "insmod" && !/\/vivid.ko/ && !seen[$2]++ { print $2 }' | while read -r file; do
    cp "$file" "$initramfs/modules/"
    printf '%s\n' "${file##*/}"
done >"$initramfs/order"
(cd "$initramfs" && find . | LD_LIBRARY_PATH=$libraries "$root/bin/cpio" --quiet -o -H newc) | gzip -1 >"$home/initramfs.gz"

# shellcheck disable=SC2086 # CC may hold flags
${CC:-cc} -Wall -Wextra -O2 -shared -fPIC -o "$home/queue-writes.so" Tests/vm/queue-writes.c -ldl

rm -rf "$results"
mkdir -p "$results"
printf '%s\n' "$veil" >"$results/program"
say "booting $release"
LD_LIBRARY_PATH=$libraries timeout --kill-after=10 "$limit" "$root/usr/bin/qemu-system-x86_64" \
    -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" -accel tcg,thread=multi -cpu Westmere -smp 2 -m 3072 -nodefaults \
    -display none -serial stdio -no-reboot \
    -kernel "${kernels[0]}" -initrd "$home/initramfs.gz" -append "console=ttyS0 quiet panic=-1" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=$results,mount_tag=results,security_model=none" </dev/null |
    tee "$results/console.txt"
python3 Tests/vm/judge.py "$results"
