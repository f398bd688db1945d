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

    /// The preview of this number, from 0, in a picture's metadata, as a file of its own; nil behind the last.
    static func preview(_ index: Int, of picture: [UInt8]) -> [UInt8]? {
        cleaned(picture) { cexif_preview($0, $1, Int32(index), $2, $3) }
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
