import Testing
import VeilTestSupport

/// A portrait that alpha draws, in each kind of file that has alpha.
@Suite struct DrawnAlphaTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The portrait as a key: black where it is dark, clear where it is bright.
    private static let drawing =
        "scale=300:300:flags=bicubic,crop=\(StillKind.width):\(StillKind.height):30:0,format=rgba,"
        + "geq=r=0:g=0:b=0:a='255-(0.3*r(X,Y)+0.6*g(X,Y)+0.1*b(X,Y))'"

    /// The alpha of a file as a gray picture.
    private func alpha(_ file: String) throws -> RawPictures {
        var plain = file
        if file.hasSuffix(".avif") || file.hasSuffix(".heic") {
            plain = folder.file("shown.png")
            try Tool.need(["heif-convert", file, plain])
        }
        return try RawPictures(plain, filter: "format=rgba,alphaextract")
    }

    @Test(arguments: [
        "a.png", "lossless.webp", "lossy.webp", "a.tif", "a.avif", "a.heic", "deep.heic", "animated.png",
        "dithered.png", "key.png",
    ])
    func `is found and covered`(name: String) throws {
        let (plain, input) = (folder.file("plain.png"), folder.file(name))
        // Without the colour chunks that ffmpeg makes up, and the portrait's profile, which heif-convert can't write.
        let filter = Self.drawing + ",sidedata=mode=delete:type=ICC_PROFILE"
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", filter, "-frames:v", "1", "-bitexact", plain])
        switch name {
        case "lossless.webp": try Tool.need(["cwebp", "-quiet", "-lossless", "-exact", plain, "-o", input])
        case "lossy.webp": try Tool.need(["cwebp", "-quiet", "-q", "90", "-exact", plain, "-o", input])
        case "a.avif": try Tool.need(["heif-enc", "-A", "-q", "90", plain, "-o", input])
        case "a.heic": try Tool.need(["heif-enc", "-q", "90", plain, "-o", input])
        case "deep.heic":
            try Tool.ffmpeg(["-i", plain, "-vf", "format=rgba64be", "-bitexact", folder.file("deep.png")])
            try Tool.need(["heif-enc", "-q", "90", "-b", "10", folder.file("deep.png"), "-o", input])
        case "animated.png": try Tool.ffmpeg(["-i", plain, "-f", "apng", "-plays", "0", input])
        case "dithered.png", "key.png": try dither(plain, to: input, isKey: name == "key.png")
        default: try Tool.ffmpeg(["-i", plain, input])
        }
        let output = folder.file("out-" + name)
        let run = try BuiltVeil.run([input, "-o", output, "-q"])
        #expect(run.status == 0, "\(run)")
        let (before, after) = (try alpha(input), try alpha(output))
        #expect((before.width, before.height) == (after.width, after.height))
        let left = before.detailLeft(in: after, frame: 0, box: StillKind.face)
        #expect(left < 0.12, "\(left)")
        let box = StillKind.surroundings
        // One bit of alpha makes a single pixel weigh much, and around a key's mask the corners become opaque too.
        let quality = name == "dithered.png" ? 24.0 : name == "key.png" ? 18 : 30
        #expect(before.psnr(0, after, 0) { x, y in !box.contains(x, y) } > quality)
    }

    /// One bit of alpha: as a palette of two blacks, or as gray of two levels of which one is the key (in 8 bits, which
    /// ffmpeg can read).
    private func dither(_ input: String, to output: String, isKey: Bool) throws {
        let script =
            "import struct,zlib,sys\n"
            + "w,h=\(StillKind.width),\(StillKind.height)\n"
            + "a=[255-v for v in open(sys.argv[1],'rb').read()]\n"
            + "rows=b''\n"
            + "e=[float(v) for v in a]\n"
            + "for y in range(h):\n"
            + "  bits=[]\n"
            + "  for x in range(w):\n"
            + "    i=y*w+x; v=255 if e[i]>127 else 0; d=e[i]-v; bits.append(0 if v==255 else 1)\n"
            + "    for dx,dy,s in ((1,0,7),(-1,1,3),(0,1,5),(1,1,1)):\n"
            + "      if 0<=x+dx<w and y+dy<h: e[i+dy*w+dx]+=d*s/16\n"
            + "  rows+=b'\\0'+(bytes(bits) if sys.argv[3]=='key' else "
            + "bytes(sum(bits[8*k+j]<<(7-j) for j in range(8)) for k in range(w//8)))\n"
            + "def c(t,d): return struct.pack('>I',len(d))+t+d+struct.pack('>I',zlib.crc32(t+d))\n"
            + "k=sys.argv[3]=='key'\n"
            + "open(sys.argv[2],'wb').write(b'\\x89PNG\\r\\n\\x1a\\n'"
            + "+c(b'IHDR',struct.pack('>IIBBBBB',w,h,8 if k else 1,0 if k else 3,0,0,0))"
            + "+(c(b'tRNS',b'\\0\\1') if k else c(b'PLTE',bytes(6))+c(b'tRNS',b'\\xff\\0'))"
            + "+c(b'IDAT',zlib.compress(rows))+c(b'IEND',b''))\n"
        let raw = folder.file("raw")
        try Tool.ffmpeg([
            "-i", input, "-vf", "format=rgba,alphaextract,format=gray,negate", "-f", "rawvideo", "-frames:v", "1", raw,
        ])
        try Tool.need(["python3", "-c", script, raw, output, isKey ? "key" : "palette"])
    }

    @Test(arguments: [
        ("mkv", ["-c:v", "ffv1"], "yuva420p", [String]()), ("mkv", ["-c:v", "ffv1"], "bgra", []),
        ("mov", ["-c:v", "prores_ks", "-profile:v", "4444"], "yuva444p10le", ["--codec", "prores"]),
    ])
    func `is covered in a video in which colours show it too`(
        form: (container: String, video: [String], format: String, flags: [String])
    ) throws {
        let input = try Clip.make(
            in: folder, "in." + form.container, frames: 4,
            filter: "format=gbrap,geq=r='p(X,Y)':g='p(X,Y)':b='p(X,Y)':a='g(X,Y)',format=\(form.format)", form.video)
        let redacted = try Redacted(input, to: "out." + form.container, in: folder, form.flags, preset: nil)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let (before, after) = (
            try RawPictures(input, filter: "alphaextract"), try RawPictures(redacted.output, filter: "alphaextract")
        )
        #expect(before.count == 4 && after.count == 4)
        for frame in 0..<4 {
            #expect(before.detailLeft(in: after, frame: frame, box: Portrait.face(frame)) < 0.12, "frame \(frame)")
            let box = Portrait.surroundings(frame)
            #expect(before.psnr(frame, after, frame) { x, y in !box.contains(x, y) } > 38, "frame \(frame)")
        }
    }
}
