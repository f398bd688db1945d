import VeilCore
import VeilMedia
import VeilPixels

/// How long frames are held back before they are shown.
public enum LiveDelay: Sendable, Hashable {
    /// Seconds, 0 or more.
    case fixed(Double)
    /// As long as the detector needs.
    case auto
}

/// Where covered pictures go.
public enum LiveOutput: Sendable, Hashable {
    case window
    /// JPEGs over HTTP at an address and port.
    case serve(address: String, port: UInt16)
    case target(LiveTarget)
}

/// Everything a person can choose about a live picture.
public struct LiveSettings: Sendable {
    public var input: LiveInputSettings
    /// A sound source of its own.
    public var microphone: LiveInputSettings?
    public var outputs: [LiveOutput] = []
    public var encoding = LiveEncoding()
    public var overwrite = false
    /// Further takes go on in the same file.
    public var joinsTakes = false
    /// Wait for a source that went away.
    public var reconnects = false
    /// End after so many seconds of pictures; nil for never.
    public var duration: Double?

    public var chain = FilterChain()
    /// The mask's size, in sizes of the face (1…4).
    public var maskScale = 1.4
    public var maxAge = 0.25
    public var failsOpen = false
    public var delay = LiveDelay.fixed(0)
    /// For how many seconds a face stays covered where it was last seen or could be followed to.
    public var linger = 0.4
    /// The score from which a detection is a face at once; nil for the built-in one.
    public var threshold: Double?
    /// The longer side of the picture that the detector sees; nil for what the processor manages.
    public var detectSize: Int?
    public var view = LiveView()
    /// OpenCV's threads.
    public var threads = 2
    public var showsBoxes = false
    public var showsMask = false
    public var showsNumbers = false

    public init(input: LiveInputSettings) { self.input = input }
}
