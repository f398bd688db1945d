import CExif
import Glibc
import VeilCore
import VeilMedia

/// Exif, XMP and IPTC as a policy lets them through.
enum Metadata {
    /// Exif data without its "Exif\0\0": the tags that may stay, or nil where none is left.
    ///
    /// - Parameter orientation: what the picture has come to have; nil for what the data says.
    static func exif(
        _ data: some Collection<UInt8>, _ policy: MetadataPolicy, orientation: Orientation? = nil
    ) -> [UInt8]? {
        cleaned(data) { bytes, count, out, size in
            cexif_clean_exif(bytes, count, policy.code, Int32(orientation?.rawValue ?? 0), out, size)
        }
    }

    /// An XMP packet without what stands for pictures; nil where nothing is left or may stay.
    static func xmp(_ data: some Collection<UInt8>, _ policy: MetadataPolicy) -> [UInt8]? {
        guard policy == .keep else { return nil }
        return cleaned(data) { cexif_clean_xmp($0, $1, $2, $3) }
    }

    /// IPTC data without previews; nil where nothing is left or may stay.
    static func iptc(_ data: some Collection<UInt8>, _ policy: MetadataPolicy) -> [UInt8]? {
        guard policy == .keep else { return nil }
        return cleaned(data) { cexif_clean_iptc($0, $1, $2, $3) }
    }

    /// How the picture is turned for display.
    static func orientation(_ exif: some Collection<UInt8>) -> Orientation {
        let bytes = Array(exif)
        return Orientation(rawValue: Int(cexif_orientation(bytes, bytes.count))) ?? .up
    }

    /// Whether Exif data (without its "Exif\0\0") is some that programs can read.
    static func canBeRead(exif: some Collection<UInt8>) -> Bool {
        let bytes = Array(exif)
        return cexif_can_read(bytes, bytes.count) == 1
    }

    /// What a look for a preview came to.
    enum Preview: Hashable {
        /// A picture's file.
        case picture([UInt8])
        /// There are no more.
        case noMore
        /// It, or the metadata as a whole, can't be read.
        case unreadable
    }

    /// The preview of this number, from 0, in a picture's metadata.
    static func preview(_ index: Int, of picture: [UInt8]) -> Preview {
        var out: UnsafeMutablePointer<UInt8>?
        var size = 0
        let code = cexif_preview(picture, picture.count, Int32(clamping: index), &out, &size)
        if code == 0 { return .noMore }
        guard code == 1, let out else { return .unreadable }
        defer { free(out) }
        return .picture(Array(UnsafeBufferPointer(start: out, count: size)))
    }

    private static func cleaned(
        _ data: some Collection<UInt8>,
        _ body: (
            UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>
        ) -> Int32
    ) -> [UInt8]? {
        let bytes = Array(data)
        var out: UnsafeMutablePointer<UInt8>?
        var size = 0
        // What can't be read isn't passed on; there is nothing else to do about it.
        _ = body(bytes, bytes.count, &out, &size)
        guard let out else { return nil }
        defer { free(out) }
        return Array(UnsafeBufferPointer(start: out, count: size))
    }
}

extension MetadataPolicy {
    var code: cexif_policy {
        switch self {
        case .keep: CEXIF_KEEP
        case .safe: CEXIF_SAFE
        case .none: CEXIF_NONE
        }
    }
}
