/// The program's version.
enum Version {
    /// As in semantic versioning 2.0.
    static let current = "0.1.0"
}
