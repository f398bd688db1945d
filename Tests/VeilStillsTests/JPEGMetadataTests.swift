import Testing
import VeilCore
import VeilMedia
import VeilTestSupport

@testable import VeilStills

@Suite struct JPEGMetadataTests {
    /// A small JPEG with all that a camera, an editor and a phone put in.
    private func photo(in folder: TemporaryFolder) throws -> [UInt8] {
        let (file, small) = (folder.file("in.jpg"), folder.file("small.jpg"))
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", "scale=64:64", "-frames:v", "1", small])
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", "scale=160:120", "-frames:v", "1", file])
        try Tool.need([
            "exiftool", "-q", "-overwrite_original", "-ThumbnailImage<=" + small, "-PhotoshopThumbnail<=" + small,
            "-GPSLatitude=59.9", "-GPSLatitudeRef=N", "-GPSLongitude=10.7", "-GPSLongitudeRef=E", "-Make=Maker",
            "-Model=Model", "-SerialNumber=12345", "-LensSerialNumber=777", "-Artist=Somebody",
            "-OwnerName=Somebody", "-UserComment=secret words", "-ImageDescription=secret words",
            "-Orientation#=6", "-ExposureTime=1/125", "-FNumber=2.8", "-ISO=400", "-FocalLength=35",
            "-XResolution=300", "-YResolution=300", "-DateTimeOriginal=2020:01:02 03:04:05",
            "-XMP:Creator=Somebody", "-XMP:PersonInImage=Somebody", "-IPTC:By-line=Somebody",
            "-IPTC:City=Oslo", "-Comment=secret words", file,
        ])
        // A further picture behind the end, as multi-picture files and motion photos have it.
        var bytes = try FileBytes.read(file)
        let profile = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + Self.profile
        bytes.insert(contentsOf: [0xFF, 0xE2, 0, UInt8(profile.count + 2)] + profile, at: 2)
        return bytes + (try FileBytes.read(small)) + Array("ftypmp42".utf8)
    }

    /// An ICC profile that holds nothing but its head.
    static let profile: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 144)
        bytes[3] = 144
        bytes.replaceSubrange(12..<16, with: "mntr".utf8)
        bytes.replaceSubrange(16..<20, with: "RGB ".utf8)
        bytes.replaceSubrange(20..<24, with: "XYZ ".utf8)
        bytes.replaceSubrange(36..<40, with: "acsp".utf8)
        return bytes
    }()

    private func cleaned(_ bytes: [UInt8], _ policy: MetadataPolicy, in folder: TemporaryFolder) throws -> (
        bytes: [UInt8], tags: Set<String>
    ) {
        let still = try JPEGStill(bytes, file: "a.jpg", policy: policy, onError: .stop)
        #expect(still.next()?.orientation == .right)
        try still.keep(masks: [])
        let out = try still.finish()
        let file = folder.file("out.jpg")
        try FileBytes.write(out, to: file)
        let lines = try Tool.need(["exiftool", "-a", "-G1", "-s", file]).text.split(separator: "\n")
        return (out, Set(lines.map { line in line.prefix { $0 != ":" }.split(separator: " ").joined(separator: " ") }))
    }

    @Test func `safe keeps colour, orientation, resolution and camera settings, and nothing else`() throws {
        let folder = try TemporaryFolder()
        let (bytes, tags) = try cleaned(try photo(in: folder), .safe, in: folder)
        for tag in [
            "[IFD0] Orientation", "[IFD0] XResolution", "[ExifIFD] ExposureTime", "[ExifIFD] FNumber", "[ExifIFD] ISO",
            "[ExifIFD] FocalLength",
        ] { #expect(tags.contains(tag), "\(tag)") }
        #expect(bytes.firstRange(of: Self.profile) != nil)
        for group in ["[GPS]", "[XMP", "[IPTC]", "[IFD1]", "[Photoshop]", "[MPF", "[File] Comment"] {
            #expect(!tags.contains { $0.hasPrefix(group) }, "\(group): \(tags.sorted())")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for word in ["Maker", "Somebody", "secret", "12345", "777", "2020:01", "Oslo", "ftyp"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(pictures(bytes) == 1)
    }

    @Test func `keep keeps words and places, but no further picture`() throws {
        let folder = try TemporaryFolder()
        let (bytes, tags) = try cleaned(try photo(in: folder), .keep, in: folder)
        for tag in [
            "[GPS] GPSLatitude", "[IFD0] Make", "[ExifIFD] UserComment", "[XMP-dc] Creator", "[IPTC] City",
            "[File] Comment", "[IFD0] Orientation",
        ] { #expect(tags.contains(tag), "\(tag): \(tags.sorted())") }
        for group in ["[IFD1]", "[MPF", "[Photoshop] PhotoshopThumbnail"] {
            #expect(!tags.contains { $0.hasPrefix(group) }, "\(group)")
        }
        #expect(pictures(bytes) == 1)
    }

    @Test func `none keeps what the picture can't be shown right without`() throws {
        let folder = try TemporaryFolder()
        let (bytes, tags) = try cleaned(try photo(in: folder), .none, in: folder)
        #expect(tags.contains("[IFD0] Orientation") && bytes.firstRange(of: Self.profile) != nil)
        #expect(!tags.contains { $0.hasPrefix("[ExifIFD]") || $0.hasPrefix("[GPS]") })
        #expect(pictures(bytes) == 1)
    }

    /// How many JPEGs begin in it.
    private func pictures(_ bytes: [UInt8]) -> Int {
        bytes.indices.dropLast(2).count { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 && bytes[$0 + 2] == 0xFF }
    }

    @Test(arguments: 1...8)
    func `each of the eight orientations is read`(number: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("in.jpg")
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", "scale=64:48", "-frames:v", "1", file])
        try Tool.need(["exiftool", "-q", "-overwrite_original", "-Orientation#=\(number)", file])
        let still = try JPEGStill(try FileBytes.read(file), file: file, policy: .safe, onError: .stop)
        #expect(still.next()?.orientation == Orientation(rawValue: number))
    }
}
