import CFFmpeg

/// Language codes of ISO 639-2.
enum Language {
    /// The code under which QuickTime's list (that of the old Macintosh, as FFmpeg has it) knows a language that has two.
    ///
    /// FFmpeg writes no language at all for the other one. Codes without a twin come back as they are.
    static func inQuickTime(_ code: String) -> String { twins[code] ?? code }

    private static let twins = [
        "bod": "tib", "cym": "wel", "cze": "ces", "deu": "ger", "ell": "gre", "eus": "baq", "fre": "fra", "hye": "arm",
        "isl": "ice", "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "nld": "dut", "rum": "ron", "slo": "slk",
        "sqi": "alb", "swe": "sve", "zho": "chi",
    ]

    /// Puts a stream's language into the words of its container.
    static func translate(in stream: UnsafeMutablePointer<AVStream>, for format: OutputFormat) {
        guard format.name == "mov", let own = av_dict_get(stream.pointee.metadata, "language", nil, 0) else { return }
        av_dict_set(&stream.pointee.metadata, "language", inQuickTime(String(cString: own.pointee.value)), 0)
    }
}
