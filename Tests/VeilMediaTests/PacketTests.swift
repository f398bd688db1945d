import CFFmpeg
import Glibc
import Testing

@testable import VeilMedia

@Suite struct PacketTests {
    @Test func `a packet that was copied out no longer lies in the memory that it came in`() throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let packet = try Packet()
        #expect(av_new_packet(packet.pointer, Int32(bytes.count)) == 0)
        let lent = try #require(packet.pointer.pointee.data)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { memcpy(lent, base, source.count) }
        }
        packet.pointer.pointee.pts = 42
        packet.pointer.pointee.stream_index = 1
        packet.pointer.pointee.flags = AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT
        // Someone else holds the memory, as the driver does.
        var owner = av_buffer_ref(packet.pointer.pointee.buf)
        defer { av_buffer_unref(&owner) }

        try packet.copyOut()
        memset(lent, 0, bytes.count)

        let data = try #require(packet.pointer.pointee.data)
        #expect(data != lent)
        #expect(Array(UnsafeBufferPointer(start: data, count: packet.size)) == bytes)
        #expect(packet.pts == 42 && packet.streamIndex == 1 && packet.isKey && packet.isCorrupt)
    }
}
