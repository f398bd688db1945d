import CVision

/// Which OpenCV is linked.
public enum VisionLibrary {
    /// "4.6.0"
    public static var version: String { String(cString: cvision_opencv_version()) }
}
