// The whole help, as people see it. When a text changes on purpose, change it here too and look at it while doing so.

enum Golden {
    static let overview = """
        veil 0.1.0: finds faces in videos and pictures and covers them

        Usage: veil [redact] [FLAGS] IN...
               veil detect [FLAGS] IN...
               veil check [FLAGS] IN...
               veil live [FLAGS]
               veil doctor [FLAGS]
               veil help [FLAGS] [VERB]

        Verbs:
          redact (default)           Cover the faces in videos and pictures
          detect                     Find the faces and write a plan of what to cover
          check                      Find faces that show, and fail if there is one
          live                       Cover the faces of a camera's picture as it comes
          doctor                     Check that everything veil needs is in place
          help                       Print help, or help on a verb

        Flags used most (for all: veil redact --help):
          -o, --output FILE          Write the result to FILE; - is standard output. For
                                     several inputs or a folder, FILE is a folder.
                                     [default: IN.redacted.EXT beside IN]
              --force                Replace the output if it exists.
              --thorough             Search harder for small and turned faces; takes
                                     many times as long. [not with --fast]
              --fast                 Search less; small or brief faces may be missed.
              --effect pixellate|blur|solid
                                     Cover with a mosaic, a blur or one colour. Only
                                     solid leaves nothing of the face.
                                     [default: pixellate]
          -q, --quiet                Print errors only, no progress.
                                     [not with --verbose]
          -h, --help                 Print help.
          -V, --version              Print the version.

        Examples:
          veil clip.mp4
              Write clip.redacted.mp4 with all faces covered
          veil photo.jpg
              Write photo.redacted.jpg; of a JPEG only the faces change
          veil detect clip.mp4 -o plan.json
              Write a plan to look through
          veil check media
              Look through all pictures and videos in a folder
          veil check --every 1s clips
              Look at one frame of each second
          veil live
              Show the first camera's picture, faces covered
          veil live -o /dev/video10
              Be a camera for other programs (v4l2loopback)
          veil doctor
              Check the installation
          veil help redact
              Explain all flags of redact

        """

    static let redact = """
        Cover the faces in videos and pictures

        Usage: veil [redact] [FLAGS] IN...

        Finds the faces in each IN, follows them from frame to frame, and writes a copy
        in which they are covered. IN itself is never changed, and the copy appears
        under its name only when it is whole. A single - is standard input.

        An IN may also be a folder, or a pattern in quotes such as 'cam*/**/*.mp4'; of
        several files, each is worked on in a process of its own. With -o, a folder's
        tree is mirrored; run again, only what is missing or has changed is done.

        No detector finds every face: look at the result before you hand it on.

        Output:
          -o, --output FILE          Write the result to FILE; - is standard output. For
                                     several inputs or a folder, FILE is a folder.
                                     [default: IN.redacted.EXT beside IN]
              --format NAME          Choose the container of what goes to standard
                                     output: matroska, mp4, mpegts or another that
                                     FFmpeg writes. A file's own name says it.
              --force                Replace the output if it exists.
              --audio keep|drop      Keep the sound or leave it out. A voice can tell
                                     who someone is, too. [default: keep]
              --keep-data            Keep timed data, such as positions and telemetry,
                                     where the container holds it. It can tell who was
                                     where.
              --metadata keep|safe|none
                                     What to keep of tags and metadata: all but
                                     thumbnails, previews, makers' notes and whatever
                                     else may hold a picture, which always go (keep);
                                     what colours, orientation, resolution and camera
                                     settings say, but nothing that tells who or where
                                     (safe); or only what the picture can't be shown
                                     right without (none). [default: safe]
              --untouched copy|encode|skip
                                     What to do with a file in which nothing has to be
                                     covered: copy its streams as they are, encode it,
                                     or skip it and write nothing. [default: copy]
              --codec NAME           Encode the video with this codec. [h264, hevc, vp8,
                                     vp9, av1, mpeg4, mpeg2, mjpeg, prores, ffv1;
                                     default: the source's own]
              --crf N                Set the encoder's constant quality: lower looks
                                     better and takes more space (but for Theora).
                                     [0 to 63; default: by encoder, 18 for H.264]
              --preset NAME          Choose the encoder's speed, such as medium or slow.
                                     [default: by encoder, medium for H.264]
              --encoder-option KEY=VALUE
                                     Hand an option to the encoder as it is.
                                     [may be repeated]
              --deinterlace          Make whole pictures of interlaced ones.
              --on-error stop|cover  What to do about a frame that can't be read or
                                     searched: stop and write nothing, or cover the
                                     whole frame and go on. [default: stop]
              --reproducible         Give the same bytes for the same input on every
                                     machine with the same libraries. Encodes with one
                                     thread.

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
              --copy-others          Copy files that are neither pictures nor videos to
                                     the output folder. What begins like a picture or
                                     video, whatever its name, is not copied.
              --in-place             Put each result in its input's place. The input,
                                     which shows the faces, is kept beside it under
                                     another name.
              --backup-suffix SUFFIX
                                     With --in-place, keep the input under its name with
                                     this ending, readable by its owner only.
                                     [default: .unredacted]
          -j, --jobs N               Work on this many files at a time. [1 to 256;
                                     default: as many as cores, and as memory of 1 GiB
                                     each, allow]
              --shard I/N            Take only the Ith of N shares of the files, of
                                     about equal work: for N machines. auto asks the
                                     scheduler's environment (Slurm; with /N also
                                     indexed jobs of Kubernetes and arrays of AWS
                                     Batch). [1/1 or more, auto, auto/N]
              --rehash               Read all files that were done before to see whether
                                     they have changed, whatever their times say.
              --retry-failed         Try files again that were found broken before and
                                     haven't changed.

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
                                     [1 to 4; default: 1.3]
              --softness N           Fade the mask's edge over this share of its size.
                                     The fade lies outside the mask.
                                     [0 to 1; default: 0.2]
              --hold SECONDS         Keep a mosaic's colours for this long. Fresh
                                     colours in each frame give a moving face away.
                                     [0 to 60; default: 0.5]

        Plan and report:
              --plan FILE            Cover what this plan says instead of searching.
                                     Make one with 'veil detect'.
              --report FILE          Write what was found and done to FILE, as JSON. For
                                     several inputs or a folder, FILE is a folder for a
                                     page to read.

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
          veil clip.mp4
              Write clip.redacted.mp4 with all faces covered
          veil photo.jpg
              Write photo.redacted.jpg; of a JPEG only the faces change
          veil clip.mp4 -o out.mp4 --effect solid
              Choose the name, cover in black
          veil --thorough *.mp4
              Search harder, in many files
          veil footage -o covered
              Cover all that is in a folder, into another
          veil footage --in-place
              Put the results in the inputs' places
          veil clip.mp4 --plan plan.json
              Cover what a plan says
          veil - -o - --format matroska <a.ts | b
              Stand between two programs

        """

    static let doctor = """
        Check that everything veil needs is in place

        Usage: veil doctor [FLAGS]

        Looks for the models, the codecs, the libraries and what the kernel has for a
        sandbox, and says what is there, what is missing and what to do about it.
        Changes nothing.

        General:
              --models DIR           Take the detectors' models from DIR.
                                     [default: $VEIL_MODELS, or the installed ones]
          -h, --help                 Print help.
          -V, --version              Print the version.

        Examples:
          veil doctor
              Check the installation

        """

    static let completions = """
        Print completions for a shell

        Usage: veil completions [FLAGS] bash|zsh|fish

        Prints a script that lets the shell complete veil's verbs, flags and values.
        Save it where your shell looks for completions, or load it at start-up:

        bash: source <(veil completions bash)

        zsh: source <(veil completions zsh), after compinit

        fish: veil completions fish | source

        General:
          -h, --help                 Print help.
          -V, --version              Print the version.

        """
}
