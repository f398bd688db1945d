import CFFmpeg
import Testing

@testable import VeilMedia

@Suite struct HDRMetadataTests {
    /// P3's primaries, D65, 1,000 and 0.0001 cd/m².
    private var plain: AVMasteringDisplayMetadata {
        var m = AVMasteringDisplayMetadata()
        func q(_ num: Int32, _ den: Int32 = 50000) -> AVRational { AVRational(num: num, den: den) }
        m.display_primaries.0 = (q(34000), q(16000))
        m.display_primaries.1 = (q(13250), q(34500))
        m.display_primaries.2 = (q(7500), q(3000))
        m.white_point = (q(15635), q(16450))
        m.max_luminance = q(10_000_000, 10000)
        m.min_luminance = q(1, 10000)
        (m.has_primaries, m.has_luminance) = (1, 1)
        return m
    }

    @Test func `values are written as encoders want them`() {
        #expect(
            HDRMetadata.text(plain) == "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)")
        var partial = plain
        partial.has_luminance = 0
        #expect(HDRMetadata.text(partial) == nil && HDRMetadata.isPossible(partial))
    }

    static let changes: [@Sendable (inout AVMasteringDisplayMetadata, AVRational) -> Void] = [
        { $0.display_primaries.0.0 = $1 }, { $0.display_primaries.0.1 = $1 }, { $0.display_primaries.1.0 = $1 },
        { $0.display_primaries.1.1 = $1 }, { $0.display_primaries.2.0 = $1 }, { $0.display_primaries.2.1 = $1 },
        { $0.white_point.0 = $1 }, { $0.white_point.1 = $1 }, { $0.max_luminance = $1 }, { $0.min_luminance = $1 },
    ]

    @Test(arguments: 0..<10)
    func `values that can't be are left out, whichever it is`(place: Int) {
        let hostile: [(Int32, Int32)] = [
            (0, 0), (1, 0), (-1, 0), (.max, 0), (.min, 0), (.max, 1), (.min, 1), (-1, 50000), (.max, -1), (.min, -1),
        ]
        for (num, den) in hostile {
            var m = plain
            Self.changes[place](&m, AVRational(num: num, den: den))
            #expect(HDRMetadata.text(m) == nil && !HDRMetadata.isPossible(m), "\(num)/\(den)")
        }
    }
}
