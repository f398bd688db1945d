#!/usr/bin/env bash
# What is tried in the virtual machine. Run by init.sh, among the host's files: guest.sh CHECKOUT RESULTS.
#
# /dev/video0 is a camera. What is written to /dev/video11 can be read from /dev/video10, and what is written to
# /dev/video21 from /dev/video20. All is small and slow: emulated, a search takes seconds.
set -uo pipefail
tree=$1
out=$2
root=$tree/.build/vm/root
veil=$(<"$out/program")
work=/run/work
mkdir -p "$work"
cd "$work" || exit
export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu AV_LOG_FORCE_NOCOLOR=1 SWIFT_BACKTRACE=enable=no
readonly width=192 height=108 rate=5

say() { printf 'vm: %s: %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
v4l2() { "$root/usr/bin/v4l2-ctl" "$@"; }
quiet() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; }
# begin NAME FLAGS...: runs veil live in the background; what it says goes to NAME.log, its numbers to NAME.json.
begin() {
    local name=$1
    shift
    timeout 240 "$veil" live --max-age 60 --detect-size 96 --threads 1 --preset ultrafast --force --stats json "$@" \
        >"$out/$name.json" 2>"$out/$name.log" &
    started=$!
}
# await FILE: waits until a recording has begun.
await() {
    local tries=0
    until [[ -s $1 ]] || ((++tries > 600)); do sleep 0.1; done
}

"$root/bin/busybox" insmod "$root"/lib/modules/*/kernel/drivers/media/test-drivers/vivid/vivid.ko n_devs=3 \
    node_types=0x1,0x101,0x101 num_inputs=1,1,1 input_types=0,3,3 num_outputs=0,1,1 output_types=0,1,1 \
    vid_cap_nr=0,10,20 vid_out_nr=-1,11,21 ccs_cap_mode=-1,1,1 ccs_out_mode=-1,2,2
for number in 10 11 20 21; do
    # A signal this slow has to be large; only its corner is used (ccs_…_mode: cropped and composed, never scaled).
    v4l2 -d /dev/video$number \
        --set-dv-bt-timings cvt,width=2560,height=1440,fps=$rate,reduced-blanking=2 >/dev/null 2>&1 || say "no timings"
done
for number in 10 20; do v4l2 -d /dev/video$number -c osd_text_mode=2 -c loop_video=1; done
# FFmpeg keeps whatever bytes per line the device has had.
v4l2 -d /dev/video11 --set-fmt-video-out width=$width,height=$height,pixelformat=YUYV,bytesperline=$((width * 2))
v4l2 -d /dev/video21 --set-fmt-video-out width=$width,height=$height,pixelformat=YU12,bytesperline=$width
v4l2 -d /dev/video20 --set-fmt-video width=$width,height=$height,pixelformat=YU12,bytesperline=$width
say "$(v4l2 -d /dev/video10 --get-dv-timings | grep -o '(.*frames.*)')"

say "1. the list of devices"
timeout 120 "$veil" live --list-devices >"$out/devices.txt" 2>&1

say "2. from a camera to an output device"
quiet -loop 1 -framerate 5 -i "$tree/samples/astronaut.jpg" -f lavfi -i color=white:s=12x10:r=5 -filter_complex \
    "[0]crop=480:270:32:0,scale=$width:$height,format=yuv422p[a];[a][1]overlay=x=176:y='mod(t*24,96)'" -t 4 -pix_fmt yuyv422 \
    -f rawvideo feed.yuv
v4l2 -d /dev/video11 --stream-out-mmap=4 --stream-loop --stream-from=feed.yuv >/dev/null 2>&1 &
feeder=$!
LD_PRELOAD=$tree/.build/vm/queue-writes.so begin through -i /dev/video10 --input-format yuyv422 \
    --size ${width}x$height --duration 100 -o through.mkv -o /dev/video21
await through.mkv
sleep 2
timeout 90 "$root/usr/bin/v4l2-ctl" -d /dev/video20 --stream-mmap=4 --stream-count=$((rate * 75)) \
    --stream-to=back.yuv >/dev/null 2>&1
wait $started
kill $feeder
cp feed.yuv back.yuv through.mkv "$out/"

say "3. an output that fails is tried again"
# Without the preloaded library vivid refuses each picture. The camera's own format is taken as it is, without a copy.
begin refused -i /dev/video0 --size 320x180 --rate 2 --duration 12 -o refused.mkv -o /dev/video21
wait $started

say "4. a camera that goes away and comes back"
v4l2 -d /dev/video0 -c horizontal_movement=0
begin away -i /dev/video0 --size 320x180 --rate 5 --input-format yuyv422 --reconnect --duration 85 -o away.mkv
await away.mkv
sleep 15
say "taken off by its driver"
v4l2 -d /dev/video0 -c disconnect=1
sleep 12
v4l2 -d /dev/video0 -c horizontal_movement=0
sleep 4
say "unbound"
echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
sleep 6
[[ -e /dev/video0 ]] && say "/dev/video0 is still there"
echo vivid.0 >/sys/bus/platform/drivers/vivid/bind
sleep 1
v4l2 -d /dev/video0 -c horizontal_movement=0
say "bound"
wait $started
cp away.mkv "$out/"

say "5. sound from an ALSA device"
quiet -re -f lavfi -i sine=f=440:r=48000 -ac 2 -f alsa hw:Loopback,0 &
feeder=$!
sleep 2
begin mic -i /dev/video0 --size 320x180 --rate 2 --mic alsa:hw:Loopback,1 --duration 25 -o mic.mkv
wait $started
kill $feeder
cp mic.mkv "$out/"
dmesg | grep -E 'BUG|Oops|segfault' >"$out/kernel.txt" || true
