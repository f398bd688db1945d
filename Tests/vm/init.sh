#!/bin/busybox sh
# The first program in the virtual machine: loads the modules, mounts the host's files and runs guest.sh among them.
# shellcheck shell=dash
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module" || echo "vm: $module doesn't load"; done </order

# The host's programs and libraries, to be read only. Its own /dev, /run and /mnt are hidden by ours.
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host || poweroff -f
mount -t devtmpfs dev /host/dev
mkdir -p /dev/shm
mount -t tmpfs shm /host/dev/shm
mount -t proc proc /host/proc
mount -t sysfs sys /host/sys
mount -t tmpfs run /host/run
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none,msize=262144 results /host/mnt || poweroff -f

read -r tree </tree
export HOME=/run TMPDIR=/run PATH=/usr/sbin:/usr/bin:/sbin:/bin
chroot /host /bin/bash "$tree/Tests/vm/guest.sh" "$tree" /mnt
echo "vm: guest.sh ended with $?"
sync
poweroff -f
