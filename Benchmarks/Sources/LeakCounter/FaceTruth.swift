import Foundation

/// A face that is known to be in a frame: its bounding box from forehead to chin and ear to ear.
public struct TruthFace: Sendable, Hashable {
    /// Whose face; the same in each frame of a clip. Nil where nobody said.
    public var id: String?
    /// In pixels of the picture as displayed, from the left and upper edges; may reach outside.
    public var x, y, width, height: Double
    /// Too small, blurred, hidden or cut off to be asked for: neither a leak when it shows nor a fault when covered.
    public var isDifficult: Bool

    public init(
        id: String? = nil, x: Double, y: Double, width: Double, height: Double, isDifficult: Bool = false
    ) {
        self.id = id
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.isDifficult = isDifficult
    }
}

/// Which faces a clip shows, frame by frame.
public struct FaceTruth: Sendable, Hashable {
    /// Of the picture as displayed (turned by the file's rotation), in pixels; nil where the file doesn't say.
    public var width: Int?
    public var height: Int?
    /// By the frame's index in presentation order, from 0. A frame that isn't in it shows none.
    public var frames: [Int: [TruthFace]]

    public init(width: Int? = nil, height: Int? = nil, frames: [Int: [TruthFace]]) {
        self.width = width
        self.height = height
        self.frames = frames
    }

    /// Reads a `NAME.faces.json`: `frames` as a list with `index` and `faces`, or as an object by index; or `faces`
    /// alone for a still. Keys that it doesn't know are passed over.
    ///
    /// - Throws: `LeakError.truth`.
    public init(file: String) throws(LeakError) {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            self = try JSONDecoder().decode(FaceTruth.self, from: data)
        } catch {
            throw .truth("\(file): \(error)")
        }
    }
}

extension TruthFace: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, x, y
        case width = "w"
        case height = "h"
        case isDifficult = "difficult"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        x = try values.decode(Double.self, forKey: .x)
        y = try values.decode(Double.self, forKey: .y)
        width = try values.decode(Double.self, forKey: .width)
        height = try values.decode(Double.self, forKey: .height)
        isDifficult = try values.decodeIfPresent(Bool.self, forKey: .isDifficult) ?? false
        // Numbers or names, as whoever wrote the file likes.
        if let number = try? values.decodeIfPresent(Int.self, forKey: .id) {
            id = String(number)
        } else {
            id = try values.decodeIfPresent(String.self, forKey: .id)
        }
    }
}

extension FaceTruth: Codable {
    private enum CodingKeys: CodingKey {
        case width, height, frames, faces
    }

    private struct Entry: Codable {
        var index: Int
        var faces: [TruthFace]
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decodeIfPresent(Int.self, forKey: .width)
        height = try values.decodeIfPresent(Int.self, forKey: .height)
        if let still = try values.decodeIfPresent([TruthFace].self, forKey: .faces) {
            frames = [0: still]
        } else if let byIndex = try? values.decode([String: [TruthFace]].self, forKey: .frames) {
            frames = [:]
            for (key, faces) in byIndex {
                guard let index = Int(key) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .frames, in: values, debugDescription: "\"\(key)\" is no frame's index")
                }
                frames[index] = faces
            }
        } else {
            let entries = try values.decode([Entry].self, forKey: .frames)
            frames = Dictionary(entries.map { ($0.index, $0.faces) }, uniquingKeysWith: { _, last in last })
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(width, forKey: .width)
        try values.encodeIfPresent(height, forKey: .height)
        try values.encode(frames.sorted { $0.key < $1.key }.map { Entry(index: $0, faces: $1) }, forKey: .frames)
    }
}
