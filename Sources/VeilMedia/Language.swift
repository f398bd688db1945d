/// Language codes of ISO 639-2.
enum Language {
    /// The bibliographic code of a language that has two: QuickTime's list (FFmpeg's too) knows no other.
    ///
    /// From the standard's table; codes without a twin come back as they are.
    static func bibliographic(_ code: String) -> String { twins[code] ?? code }

    private static let twins = [
        "bod": "tib", "ces": "cze", "cym": "wel", "deu": "ger", "ell": "gre", "eus": "baq", "fas": "per", "fra": "fre",
        "hye": "arm", "isl": "ice", "kat": "geo", "mkd": "mac", "mri": "mao", "msa": "may", "mya": "bur", "nld": "dut",
        "ron": "rum", "slk": "slo", "sqi": "alb", "zho": "chi",
    ]
}
