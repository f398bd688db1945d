import VeilCore
import VeilDigest
import VeilVision

/// Finds, checks and loads the models of the detector that was asked for.
package enum DetectorLoader {
    package static func load(
        _ settings: RedactionSettings
    ) throws(VeilError) -> (detector: any FaceDetector, description: DetectorDescription) {
        let models: [Model]
        do throws(ModelError) {
            let store = try ModelStore.locate(flag: settings.models)
            switch settings.detector {
            case .centerface: models = [try store.model("centerface")]
            case .haar: models = [try store.model("haar-frontal"), try store.model("haar-profile")]
            }
        } catch { throw .model(error) }
        let detector: any FaceDetector = try vision(models[0].path) { () throws(VisionError) -> any FaceDetector in
            if settings.threads > 0 { try VisionThreads.set(settings.threads) }
            switch settings.detector {
            case .centerface: return try CenterFaceDetector(model: models[0])
            case .haar: return try HaarDetector(frontal: models[0], profile: models[1])
            }
        }
        return (
            fit(detector, to: settings.analysis),
            DetectorDescription(name: settings.detector.rawValue, modelSHA256: SHA256.hex(of: models[0].bytes))
        )
    }

    /// The detector as the settings want it to look.
    static func fit(_ detector: any FaceDetector, to settings: AnalysisSettings) -> any FaceDetector {
        settings.thorough ? ThoroughDetector(detector) : detector
    }
}
