import CFFmpeg

/// Times in ticks, as packets and frames carry them; files say what they like there.
enum TickTime {
    /// Whether it is a time at all: sums of two such don't overflow.
    static func isTime(_ ticks: Int64) -> Bool { (-MediaLimits.ticks...MediaLimits.ticks).contains(ticks) }

    /// In another time base; nil for what is no time in either.
    static func rescale(_ ticks: Int64, from: AVRational, to: AVRational) -> Int64? {
        guard isTime(ticks), from.num > 0, from.den > 0, to.num > 0, to.den > 0 else { return nil }
        let result = av_rescale_q(ticks, from, to)
        return isTime(result) ? result : nil
    }

    /// Moved by so many; what is no time before or then becomes FFmpeg's word for that.
    static func moved(_ ticks: Int64, by offset: Int64) -> Int64 {
        guard isTime(ticks), isTime(offset), isTime(ticks + offset) else { return cff_no_pts }
        return ticks + offset
    }
}
