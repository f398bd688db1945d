import CFFmpeg
import VeilCore

/// Makes whole pictures of interlaced ones, one for each (FFmpeg's `bwdif` filter); owns the filter graph.
///
/// Holds one picture back: fields are told apart by what comes before and after.
final class Deinterlacer {
    private let graph: FilterGraph
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?
    private let timeBase: AVRational
    private let file: String
    private var durations: [Int64: Int64] = [:]

    /// - Parameter frame: the first to come; all have its size and format.
    init(like frame: borrowing Frame, timeBase: Rational, file: String) throws(MediaError) {
        self.timeBase = AVRational(num: Int32(timeBase.num), den: Int32(timeBase.den))
        self.file = file
        graph = try FilterGraph()
        let aspect = frame.sampleAspectRatio
        let input =
            "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format):time_base=\(timeBase.num)/\(timeBase.den)"
            + ":pixel_aspect=\(aspect.num)/\(aspect.den)"
        let operation = "deinterlacing"
        func add(
            _ name: String, _ options: String?, _ context: inout UnsafeMutablePointer<AVFilterContext>?
        ) throws(MediaError) {
            try check(
                avfilter_graph_create_filter(
                    &context, avfilter_get_by_name(name), name, options, nil, graph.pointer), .unsupported, operation,
                file: file)
        }
        var bwdif: UnsafeMutablePointer<AVFilterContext>?
        var format: UnsafeMutablePointer<AVFilterContext>?
        try add("buffer", input, &source)
        try add("bwdif", "mode=send_frame:parity=auto:deint=interlaced", &bwdif)
        try add("format", "pix_fmts=\(frame.format)", &format)
        try add("buffersink", nil, &sink)
        for (from, to) in [(source, bwdif), (bwdif, format), (format, sink)] {
            try check(avfilter_link(from, 0, to, 0), .unsupported, operation, file: file)
        }
        try check(avfilter_graph_config(graph.pointer, nil), .unsupported, operation, file: file)
    }

    /// Takes a picture, or nil at the end; hands what is ready to `body`.
    func push(
        _ frame: borrowing Frame, _ body: (borrowing Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let pts = frame.pts { durations[pts] = frame.duration }
        // The filter takes the reference over.
        let reference = try frame.reference()
        try check(
            av_buffersrc_add_frame(source, reference.pointer), .internalFailure, "deinterlacing", file: file)
        try drain(body)
    }

    /// Hands over what is held at the end.
    func finish(_ body: (borrowing Frame) throws(MediaError) -> Void) throws(MediaError) {
        try check(av_buffersrc_add_frame(source, nil), .internalFailure, "deinterlacing", file: file)
        try drain(body)
    }

    private func drain(_ body: (borrowing Frame) throws(MediaError) -> Void) throws(MediaError) {
        while true {
            var frame = try Frame()
            let code = av_buffersink_get_frame(sink, frame.pointer)
            if code == cff_error_again || code == cff_error_eof { return }
            try check(code, .internalFailure, "deinterlacing", file: file)
            if let pts = frame.pts {
                frame.pts = TickTime.rescale(pts, from: av_buffersink_get_time_base(sink), to: timeBase)
            }
            frame.duration = frame.pts.flatMap { durations.removeValue(forKey: $0) } ?? 0
            try body(frame)
        }
    }
}

/// Owns an AVFilterGraph and its filters.
private final class FilterGraph {
    let pointer: UnsafeMutablePointer<AVFilterGraph>

    init() throws(MediaError) {
        guard let graph = avfilter_graph_alloc() else {
            throw MediaError(.internalFailure, "deinterlacing", detail: "out of memory")
        }
        pointer = graph
        graph.pointee.nb_threads = 1
    }

    deinit {
        var p: UnsafeMutablePointer<AVFilterGraph>? = pointer
        avfilter_graph_free(&p)
    }
}
