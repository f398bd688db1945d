import CVision

/// OpenCV's threads, a setting of the whole process.
public enum VisionThreads {
    /// Sets how many threads detectors use, 1 or more. Set it once, before the first look, so that detectors and codecs
    /// don't fight over the cores.
    public static func set(_ count: Int) throws(VisionError) {
        try VisionError.check(doing: "setting the number of threads") {
            cvision_set_threads(Int32(clamping: count), $0)
        }
    }
}
