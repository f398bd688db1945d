#!/usr/bin/env bash
# Makes astronaut.jpg and walk.mp4 anew. Needs ffmpeg and, unless a picture is given, python3 with pip.
#
#   samples/make-samples.sh [astronaut.png]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The picture as scikit-image 0.26.0 ships it (skimage/data/astronaut.png, 512×512).
readonly picture_sum=88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

picture=${1:-$work/astronaut.png}
if [[ $# -eq 0 ]]; then
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" scikit-image==0.26.0
    python3 - "$work" <<'PYTHON'
import glob, os, sys, zipfile
work = sys.argv[1]
(wheel,) = glob.glob(os.path.join(work, "scikit_image-*.whl"))
with zipfile.ZipFile(wheel) as archive, open(os.path.join(work, "astronaut.png"), "wb") as out:
    out.write(archive.read("skimage/data/astronaut.png"))
PYTHON
fi
echo "$picture_sum  $picture" | sha256sum --check --quiet

run() { ffmpeg -hide_banner -nostdin -loglevel error -y "$@"; }

run -i "$picture" -frames:v 1 -q:v 3 -pix_fmt yuvj444p -fflags +bitexact -flags:v +bitexact "$here/astronaut.jpg"

# The person is cut out with a soft edge: an ellipse for head and collar and one for the body. The background is
# the blurred studio wall beside the head, so that the edge doesn't show.
person="format=gbrap,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*clip(max(\
(1-hypot((X-228)/98,(Y-106)/105))*8,\
(1-hypot((X-196)/190,(Y-440)/300))*9),0,1)'"

# Both walk: x by time, a little bob in y. The small one passes behind the large one, leaves the picture at the left
# from about 1.7 s to 2.8 s and comes back; the large one grows and turns by a few degrees.
graph="
[0:v]crop=90:110:296:4,scale=960:400:flags=bicubic,gblur=sigma=14,
    crop=640:360:x='60+50*t':y=20,format=gbrp[wall];
[1:v]$person,split[p][q];
[p]scale=w='2*floor(0.45*iw/2)':h=-2,pad=320:320:(ow-iw)/2:(oh-ih)/2:color=black@0,
    rotate=a='0.06*sin(2*PI*t/1.1)':c=black@0[small];
[q]pad=720:720:(ow-iw)/2:(oh-ih)/2:color=black@0,rotate=a='0.09*sin(2*PI*t/2.3)':c=black@0,
    scale=w='2*floor(720*(0.78+0.05*t)/2)':h=-2:eval=frame[large];
[wall][small]overlay=x='if(lt(t,2.1),300-280*t,-288+190*(t-2.1))':y='92+4*sin(2*PI*t*1.9)':format=gbrp[a];
[a][large]overlay=x='-190+95*t':y='-68-14*t+5*sin(2*PI*t*1.5)':format=gbrp,format=yuv420p,setsar=1[v]"

# Sound: a soft chord with a step every half second.
sound="aevalsrc=exprs='0.08*(sin(2*PI*220*t)+sin(2*PI*277.2*t)+sin(2*PI*329.6*t))\
+0.5*exp(-30*mod(t,0.5))*sin(2*PI*90*mod(t,0.5))':s=44100:d=4"

run -filter_threads 1 -filter_complex_threads 1 \
    -loop 1 -framerate 25 -i "$picture" -loop 1 -framerate 25 -i "$picture" -f lavfi -i "$sound" \
    -filter_complex "$graph" -map '[v]' -map 2:a -t 4 \
    -c:v libx264 -threads 1 -preset veryslow -crf 24 -g 50 -color_range tv \
    -c:a aac -b:a 64k -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
    -movflags +faststart "$here/walk.mp4"
