import CFFmpeg
import Glibc

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

    /// Brings what it holds into memory of its own.
    ///
    /// FFmpeg's V4L2 input hands out the driver's buffers, and unmaps them when it is closed. Raw pictures are decoded
    /// without a copy: a frame that outlived the device would lie in memory that is gone.
    ///
    /// - Throws: `MediaError` `.internalFailure` where memory runs out.
    func copyOut() throws(MediaError) {
        let fresh = try Packet()
        try check(av_new_packet(fresh.pointer, pointer.pointee.size), .internalFailure, "copying a packet", file: nil)
        if let data = pointer.pointee.data { memcpy(fresh.pointer.pointee.data, data, size) }
        try check(av_packet_copy_props(fresh.pointer, pointer), .internalFailure, "copying a packet", file: nil)
        av_packet_unref(pointer)
        av_packet_move_ref(pointer, fresh.pointer)
    }
}
