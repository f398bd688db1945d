import CFFmpeg

/// One coded packet; owns its AVPacket.
public struct Packet: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(MediaError) {
        guard let packet = av_packet_alloc() else {
            throw MediaError(.internalFailure, "allocating a packet", detail: "out of memory")
        }
        pointer = packet
    }

    deinit {
        var p: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&p)
    }

    /// The index of the stream it belongs to, in its file.
    public var streamIndex: Int { Int(pointer.pointee.stream_index) }
    /// In the stream's time base; nil where the container has none.
    public var pts: Int64? { pointer.pointee.pts == cff_no_pts ? nil : pointer.pointee.pts }
    public var isKey: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    /// The demuxer knows that part of it is missing.
    public var isCorrupt: Bool { pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
    /// Its frame is decoded but not shown (an edit list hides it).
    public var isHidden: Bool { pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
    public var size: Int { Int(pointer.pointee.size) }
}
