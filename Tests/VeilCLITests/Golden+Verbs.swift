extension Golden {
    static let check = """
        Find faces that show, and fail if there is one

        Usage: veil check [FLAGS] IN...

        Looks through each IN (a picture or video, a folder, or a pattern in quotes) for
        faces that can be seen, prints a line for each, and ends with code 3 if there is
        one. Changes nothing, and opens nothing that a playlist names.

        A face shows if the detector finds it and there is detail inside its bounds that
        a mosaic or blur would have taken away: what Veil has covered passes, whatever a
        file says of itself.

        Folders and many files:
              --no-recursive         Leave out folders in folders.
              --include PATTERN      Of the pictures and videos in folders, take only
                                     those that match PATTERN, such as '*.mp4' or
                                     'cam1/**'. [may be repeated]
              --exclude PATTERN      Leave out files and folders in folders that match
                                     PATTERN. [may be repeated]
              --follow-symlinks      Follow symbolic links in folders.
              --hidden               Take files and folders whose names begin with a
                                     dot, too.
              --from-file FILE       Read names of inputs from FILE, one a line; - is
                                     standard input. Below an output folder they keep
                                     their paths.
          -0, --null                 Names in the list end with NUL instead of a line
                                     feed.
          -j, --jobs N               Work on this many files at a time. [1 to 256;
                                     default: as many as cores, and as memory of 1 GiB
                                     each, allow]

        Finding faces:
              --detector centerface|haar
                                     Choose what finds the faces. centerface is a neural
                                     network; haar is older and misses far more.
                                     [default: centerface]
              --threshold N          Take for a face what scores at least this much.
                                     Lower finds more faces and more that are none.
                                     [0 to 1; default: 0.5]
              --detect-size PIXELS   Search a picture whose longer side has this size.
                                     Larger finds smaller faces and takes longer. [64 to
                                     8192; default: half the picture's, 640 to 1920, or
                                     what --min-face needs]
              --min-face SIZE        Leave out faces smaller than this, in pixels (24)
                                     or in percent of the picture's height (2%).
                                     [default: 20 pixels wide]
              --thorough             Search harder for small and turned faces; takes
                                     many times as long.
              --every N|Ts           Look at each Nth frame of a video, or at one every
                                     so many seconds (2s). [default: 1]

        Result:
              --format text|json|junit|sarif|github
                                     How to say what was found, on standard output:
                                     lines for people, JSON, JUnit's XML, SARIF for code
                                     scanning, or annotations of GitHub's workflows.
                                     [default: text]
              --baseline FILE        Accept the faces that stand in FILE. A file of
                                     which a single byte has changed is looked at anew.
              --write-baseline FILE  Write all faces that were found to FILE, to be
                                     accepted from now on. Look at them first.

        General:
              --models DIR           Take the detectors' models from DIR.
                                     [default: $VEIL_MODELS, or the installed ones]
              --threads N            Use this many threads. [1 to 1024; default: as many
                                     as there are cores, shared by the files at work]
              --no-sandbox           Work with all rights of the user. Without this
                                     flag, network, other programs and other files are
                                     shut off before a file is opened, as far as the
                                     kernel can.
          -q, --quiet                Print errors only, no progress.
                                     [not with --verbose]
          -v, --verbose              Say more about what is done.
          -h, --help                 Print help.
          -V, --version              Print the version.

        Examples:
          veil check media
              Look through all pictures and videos in a folder
          veil check --every 1s clips
              Look at one frame of each second
          veil check --format sarif media >veil.sarif
              Say it in the form of code scanning
          veil check --write-baseline known.json media
              Accept what is there now

        """

    static let live = """
        Cover the faces of a camera's picture as it comes

        Usage: veil live [FLAGS]

        Shows the picture of a camera, a screen or a stream with its faces covered, and
        sends it wherever -o says, at the source's own rate. Faces are searched for
        beside it, as often as the processor can. Whenever nothing recent is known of
        them the whole picture is covered.

        Keys in the window: q quits, space pauses, r starts and stops recording, s saves
        a still, f changes the effect, + and - the mask's size, m, b and n show mask,
        boxes and numbers, z and x zoom, arrows pan, c crops, h mirrors, t turns.

        No detector finds every face, and a live one has little time. A face that comes
        into the picture is bare until the next search has found it, about a tenth of a
        second, unless --delay holds the picture back.

        Source:
          -i, --input SOURCE         Take the picture from SOURCE: a camera
                                     (/dev/video0), FORMAT:NAME for any device of FFmpeg
                                     (x11grab::0), a URL (rtsp, rtmp, srt, udp, http), a
                                     file, or - for standard input.
                                     [default: the first camera]
              --list-devices         List cameras with formats, sizes and rates, and
                                     sound sources, and end.
              --size WxH             Ask the device for this size.
                                     [default: the device's own]
              --rate FPS             Ask the device for so many frames a second.
                                     [1 to 1000; default: the device's own]
              --input-format NAME    Ask the camera for this format, such as mjpeg or
                                     yuyv422. [default: the device's own]
              --pace                 Play standard input or a URL at the speed that its
                                     time stamps say. Files are always played so.
              --mic NAME             Take sound from NAME: alsa:default, pulse:default,
                                     or the name of an ALSA device.
                                     [default: the source's own sound]
              --reconnect            Wait for a source that went away, and carry on.
                                     Until it is back the last picture is shown covered.
              --duration SECONDS     End after this time.
                                     [0 to 1000000; default: until the source ends]

        Output:
          -o, --output OUT           Send the covered picture to OUT: window, a file
                                     (.mp4, .mkv), a URL (rtmp, rtsp, srt, udp),
                                     FOLDER/NAME.m3u8, a video output device
                                     (/dev/video10), or - for standard output. A window
                                     unless something else is named. [may be repeated]
              --serve ADDRESS:PORT   Show the picture to browsers at this address and
                                     port, such as 127.0.0.1:8080. Whoever can reach the
                                     address can watch.
              --format NAME          Write standard output in this container, such as
                                     yuv4mpegpipe, rawvideo, mpegts or matroska.
                                     [default: yuv4mpegpipe]
              --force                Replace the output if it exists.
              --crf N                Set x264's constant quality for recordings and
                                     streams: lower looks better and takes more space.
                                     [0 to 51; default: 21]
              --preset NAME          Choose x264's speed: a slower one may not keep up.
                                     [default: superfast]
              --join                 Put all takes of a recording into one file instead
                                     of files of their own.

        Finding faces:
              --threshold N          Take for a face what scores at least this much.
                                     Lower finds more faces and more that are none.
                                     [0 to 1; default: 0.15]
              --detect-size PIXELS   Search a picture whose longer side has this size.
                                     Larger finds smaller faces and takes longer. [64 to
                                     2048; default: what the processor manages, 320 to
                                     1280]

        Covering faces:
              --effect pixellate|blur|solid
                                     Cover with a mosaic, a blur or one colour. Only
                                     solid leaves nothing of the face.
                                     [default: pixellate]
              --cells N              Use this many mosaic cells across a face. Fewer
                                     hide more; more than 8 leave a face readable.
                                     [2 to 64; default: 5]
              --color COLOR          Use this colour for solid. [RRGGBB or black, gray,
                                     white, red, green, blue or yellow; default: black]
              --mask ellipse|box     Cover an ellipse or the whole box around a face.
                                     [default: ellipse]
              --mask-scale N         Make the mask this many times as large as the face.
                                     [1 to 4; default: 1.4]
              --softness N           Fade the mask's edge over this share of its size.
                                     The fade lies outside the mask.
                                     [0 to 1; default: 0.2]
              --hold SECONDS         Keep a mosaic's colours for this long. Fresh
                                     colours in each frame give a moving face away.
                                     [0 to 60; default: 0.5]
              --max-age SECONDS      Cover the whole picture when the newest search is
                                     older than this. [0.01 to 60; default: 0.25]
              --delay SECONDS        Hold frames back for this long, so that a face is
                                     covered even in the frame in which it first
                                     appears; auto is as long as the detector needs.
                                     [0 to 1.5, or auto; default: 0]
              --fail-open            Show the picture even when nothing is known of its
                                     faces. Then faces are bare at the start, after each
                                     cut, and whenever the detector is late or fails.
              --linger SECONDS       Go on covering a face for this long after it was
                                     last seen. [0 to 60; default: 0.4]

        View and control:
              --crop full|1:1|4:3|16:9
                                     Show the middle of the picture in this shape.
                                     [default: full]
              --zoom N               Enlarge the middle of the picture so many times.
                                     [1 to 8; default: 1]
              --mirror               Swap left and right.
              --rotate 0|90|180|270  Turn the picture clockwise by so many degrees.
                                     [default: 0]
              --show boxes|mask|numbers
                                     Draw boxes, masks or numbers over the picture in
                                     the window. [may be repeated]
              --control -            Read commands from standard input (-), one a line:
                                     the window's keys, or words such as record, still,
                                     zoom 2, pan 0.5 0.

        General:
              --stats json           Print the numbers at the end to standard output as
                                     JSON; to standard error if - is an output.
              --models DIR           Take the detectors' models from DIR.
                                     [default: $VEIL_MODELS, or the installed ones]
              --threads N            Search with this many threads.
                                     [1 to 1024; default: 2]
          -q, --quiet                Print errors only, no progress.
                                     [not with --verbose]
          -v, --verbose              Say more about what is done.
          -h, --help                 Print help.
          -V, --version              Print the version.

        Examples:
          veil live
              Show the first camera's picture, faces covered
          veil live -o /dev/video10
              Be a camera for other programs (v4l2loopback)
          veil live -i rtsp://host/cam -o rec.mkv --delay auto
              Record a stream, late but sure
          veil live -i x11grab::0 --serve 127.0.0.1:8080
              Show a screen in a browser

        """

    static let detect = """
        Find the faces and write a plan of what to cover

        Usage: veil detect [FLAGS] IN...

        Finds the faces in each IN and follows them, as redact does, but writes a plan
        instead of a copy: a JSON file that says what to cover, when and where. Look
        through it, change it, and hand it to 'veil redact --plan'.

        Output:
          -o, --output FILE          Write the plan to FILE; - is standard output.
                                     [default: IN.EXT.plan.json beside IN]
              --force                Replace the output if it exists.
              --on-error stop|cover  What to do about a frame that can't be read or
                                     searched: stop and write nothing, or cover the
                                     whole frame and go on. [default: stop]

        Finding faces:
              --detector centerface|haar
                                     Choose what finds the faces. centerface is a neural
                                     network; haar is older and misses far more.
                                     [default: centerface]
              --threshold N          Take for a face what scores at least this much.
                                     Lower finds more faces and more that are none.
                                     [0 to 1; default: 0.35 in videos, 0.15 in pictures]
              --detect-size PIXELS   Search a picture whose longer side has this size.
                                     Larger finds smaller faces and takes longer. [64 to
                                     8192; default: half the picture's, 640 to 1920, or
                                     what --min-face needs]
              --detect-every N       Search each Nth frame only; in between, faces are
                                     followed.
                                     [1 or more; default: chosen by the frame rate]
              --min-face SIZE        Leave out faces smaller than this, in pixels (24)
                                     or in percent of the picture's height (2%). The
                                     picture that is searched gets as large as it takes
                                     to see such a face, up to 1920. [default: none]
              --thorough             Search harder for small and turned faces; takes
                                     many times as long. [not with --fast]
              --fast                 Search less; small or brief faces may be missed.
              --linger SECONDS       Go on covering a face for this long after it was
                                     last seen. [0 to 60; default: 0.15]

        General:
              --models DIR           Take the detectors' models from DIR.
                                     [default: $VEIL_MODELS, or the installed ones]
              --threads N            Use this many threads. [1 to 1024; default: as many
                                     as there are cores, shared by the files at work]
              --allow-references     Open local files that a playlist (HLS, DASH) or a
                                     movie names, if they lie in its own folder or
                                     below.
              --allow-network        Open the HTTP and HTTPS addresses that a playlist
                                     (HLS, DASH) names.
              --no-sandbox           Work with all rights of the user. Without this
                                     flag, network, other programs and other files are
                                     shut off before a file is opened, as far as the
                                     kernel can.
          -q, --quiet                Print errors only, no progress.
                                     [not with --verbose]
          -v, --verbose              Say more about what is done.
          -h, --help                 Print help.
          -V, --version              Print the version.

        Examples:
          veil detect clip.mp4 -o plan.json
              Write a plan to look through

        """
}
