/// What of a file's tags and metadata is kept. Pictures among them (thumbnails, previews) never are, for they show faces.
public enum MetadataPolicy: String, Sendable, Hashable, CaseIterable {
    /// All but what may hold a picture.
    case keep
    /// What says how the picture or the sound is to be shown and how the camera stood: colour, orientation, resolution,
    /// exposure. Nothing that tells who, where or which device.
    case safe
    /// What the picture can't be shown right without: colour profile and orientation.
    case none
}
