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
}
