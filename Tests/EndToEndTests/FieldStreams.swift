import VeilTestSupport

/// Streams in which each field is a picture of its own, which no encoder of FFmpeg makes.
enum FieldStreams {
    static let height = 180
    /// A field's coded rows: whole macroblocks (16 rows) that hold half of 180.
    private static let fieldRows = 96

    /// Frames of two fields from two moments: the field of the odd clip frames is a frame later.
    ///
    /// - Returns: for each frame its top and its bottom field, as planes of 4:2:0 one behind the other, 320×96.
    private static func fields(frames: Int) throws -> [(top: [UInt8], bottom: [UInt8])] {
        let width = Portrait.width
        let raw = try Tool.ffmpeg([
            "-i", try Portrait.base.get(), "-vf",
            "trim=end_frame=\(2 * frames),tinterlace=interleave_top,format=yuv420p,pad=\(width):\(2 * fieldRows)",
            "-f", "rawvideo", "-",
        ]).output
        let size = width * 2 * fieldRows * 3 / 2
        guard raw.count == frames * size else { throw Tool.Failure(description: "\(raw.count) bytes of pictures") }
        func field(_ frame: Int, _ parity: Int) -> [UInt8] {
            var rows: [UInt8] = []
            rows.reserveCapacity(size / 2)
            var start = frame * size
            for (width, height) in [(width, 2 * fieldRows), (width / 2, fieldRows), (width / 2, fieldRows)] {
                for y in stride(from: parity, to: height, by: 2) {
                    rows += raw[start + y * width..<start + (y + 1) * width]
                }
                start += width * height
            }
            return rows
        }
        return (0..<frames).map { (field($0, 0), field($0, 1)) }
    }

    // MARK: H.264

    /// An H.264 byte stream of field pictures (`field_pic_flag` 1) made of I_PCM macroblocks: no loss at all.
    ///
    /// - Parameter topFirst: else the bottom field is the earlier one, in the stream and by its order count. The pictures
    ///   are the same: the clip's time then runs back and forth between fields.
    static func h264(frames: Int, topFirst: Bool) throws -> [UInt8] {
        var stream = unit(3, 7, sequence()) + unit(3, 8, pictureParameters())
        for (n, frame) in try fields(frames: frames).enumerated() {
            for second in [false, true] {
                let isBottom = second == topFirst
                let isIDR = n == 0 && !second
                let slice = slice(
                    of: isBottom ? frame.bottom : frame.top, frame: n, isBottom: isBottom, isIDR: isIDR,
                    order: 2 * n + (second ? 1 : 0))
                stream += unit(3, isIDR ? 5 : 1, slice)
            }
        }
        return stream
    }

    /// A NAL unit behind a start code: 3 is put in wherever the bytes look like one (H.264, 7.4.1.1).
    private static func unit(_ reference: UInt8, _ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 1, reference << 5 | type]
        bytes.reserveCapacity(payload.count + 64)
        var zeros = 0
        for byte in payload {
            if zeros == 2 && byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            bytes.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return bytes
    }

    /// The sequence parameter set (H.264, 7.3.2.1.1): Main profile, 320×180 in field macroblocks, 25 frames a second.
    private static func sequence() -> [UInt8] {
        var bits = BitWriter()
        for byte in [77, 0, 30] { bits.put(byte, 8) }
        bits.putGolomb(0)  // its number
        bits.putGolomb(0)  // frame_num has 4 bits
        bits.putGolomb(0)  // order counts are written,
        bits.putGolomb(4)  // in 8 bits
        bits.putGolomb(1)  // one reference frame
        bits.put(0, 1)
        bits.putGolomb(Portrait.width / 16 - 1)
        bits.putGolomb(fieldRows / 16 - 1)
        bits.put(0, 1)  // frame_mbs_only_flag
        bits.put(0, 1)  // no macroblocks that choose by themselves
        bits.put(1, 1)  // direct_8x8_inference_flag
        bits.put(1, 1)  // cropped: in steps of 4 rows
        for edge in [0, 0, 0, (2 * fieldRows - height) / 4] { bits.putGolomb(edge) }
        bits.put(1, 1)  // usability information follows
        bits.put(0, 4)  // no aspect, overscan, signal type, chroma place
        bits.put(1, 1)  // timing: two ticks a frame
        bits.put(1, 32)
        bits.put(50, 32)
        bits.put(1, 1)
        bits.put(0, 2)  // no buffering periods
        bits.put(0, 1)  // no word on how fields are shown
        bits.put(1, 1)  // bitstream restriction
        bits.put(1, 1)
        for value in [0, 0, 9, 9, 0, 1] { bits.putGolomb(value) }  // nothing is reordered, one frame held
        bits.putTrailing()
        return bits.bytes
    }

    /// The picture parameter set (H.264, 7.3.2.2): CAVLC, deblocking told in each slice.
    private static func pictureParameters() -> [UInt8] {
        var bits = BitWriter()
        bits.putGolomb(0)
        bits.putGolomb(0)
        bits.put(0, 2)  // CAVLC; no second order count
        for _ in 0..<3 { bits.putGolomb(0) }  // one slice group; one reference each
        bits.put(0, 3)  // no weights
        for _ in 0..<3 { bits.putGolomb(0) }  // quantisers as they are
        bits.put(0b100, 3)  // deblocking_filter_control_present_flag
        bits.putTrailing()
        return bits.bytes
    }

    /// One field as one slice (H.264, 7.3.3 and 7.3.5).
    private static func slice(of field: [UInt8], frame: Int, isBottom: Bool, isIDR: Bool, order: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.putGolomb(0)
        bits.putGolomb(7)  // I
        bits.putGolomb(0)
        bits.put(frame % 16, 4)
        bits.put(1, 1)  // field_pic_flag
        bits.put(isBottom ? 1 : 0, 1)
        if isIDR { bits.putGolomb(0) }
        bits.put(order % 256, 8)
        bits.put(0, isIDR ? 2 : 1)  // references slide through the window
        bits.putGolomb(0)
        bits.putGolomb(1)  // no deblocking
        let width = Portrait.width
        let chroma = width * fieldRows
        for y in stride(from: 0, to: fieldRows, by: 16) {
            for x in stride(from: 0, to: width, by: 16) {
                bits.putGolomb(25)  // I_PCM
                bits.align()
                for row in y..<y + 16 { bits.append(field[row * width + x..<row * width + x + 16]) }
                for plane in [chroma, chroma + chroma / 4] {
                    for row in y / 2..<y / 2 + 8 {
                        let start = plane + row * width / 2 + x / 2
                        bits.append(field[start..<start + 8])
                    }
                }
            }
        }
        bits.putTrailing()
        return bits.bytes
    }

    // MARK: MPEG-2

    /// An MPEG-2 video stream of field pictures (`picture_structure` 1 and 2), all intra.
    ///
    /// An intra picture of a field is written as one of a frame of half the height. FFmpeg encodes those; the headers are
    /// then told that two make a frame (ISO 13818-2, 6.3.10: the second has no headers but its own).
    static func mpeg2(frames: Int, topFirst: Bool, in folder: TemporaryFolder) throws -> [UInt8] {
        let raw = folder.file("fields.yuv")
        try FileBytes.write(
            try fields(frames: frames).flatMap { topFirst ? $0.top + $0.bottom : $0.bottom + $0.top }, to: raw)
        let coded = folder.file("fields.m2v")
        try Tool.ffmpeg([
            "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(Portrait.width)x\(fieldRows)", "-r", "25", "-i", raw,
            "-c:v", "mpeg2video", "-g", "1", "-q:v", "2", "-f", "mpeg2video", coded,
        ])
        var result: [UInt8] = []
        var field = 0
        for var part in units(of: try FileBytes.read(coded)) {
            let isSecond = field % 2 == 1
            switch part[3] {
            case 0xB3:  // sequence: its height
                if isSecond { continue }
                part[5] = part[5] & 0xF0 | UInt8(height >> 8)
                part[6] = UInt8(height & 0xFF)
            case 0xB8:  // group of pictures
                if isSecond { continue }
            case 0xB5 where part[4] >> 4 == 1:  // sequence extension: not progressive
                if isSecond { continue }
                part[5] &= ~0x08
            case 0xB5 where part[4] >> 4 == 8:  // picture coding extension
                let isBottom = isSecond == topFirst
                part[6] = part[6] & 0xFC | (isBottom ? 2 : 1)
                // 0 in fields: top_field_first, frame_pred_frame_dct, and with progressive_frame chroma_420_type.
                part[7] &= 0x3E
                part[8] &= 0x7F
                field += 1
            case 0x00:
                // temporal_reference: the picture's number in its group, which holds one frame.
                part[4] = 0
                part[5] &= 0x3F
            default: break
            }
            result += part
        }
        return result
    }

    /// The parts of a stream, each from its start code on.
    private static func units(of bytes: [UInt8]) -> [[UInt8]] {
        var starts: [Int] = []
        for i in 0..<max(0, bytes.count - 3) where bytes[i] == 0 && bytes[i + 1] == 0 && bytes[i + 2] == 1 {
            starts.append(i)
        }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
}
