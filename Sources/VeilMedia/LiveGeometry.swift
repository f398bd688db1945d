import CFFmpeg
import VeilCore

/// What part of the picture is shown, and how: as camera programs offer it.
public struct LiveView: Sendable, Hashable {
    /// Width to height of what is cut out of the middle; nil for the whole picture.
    public var aspect: Rational?
    /// 1…8: how much the middle is enlarged.
    public var zoom = 1.0
    /// Where the enlarged part lies: −1 (left, top) to 1 (right, bottom).
    public var panX = 0.0
    public var panY = 0.0
    /// Left and right swapped, as in a mirror.
    public var isMirrored = false
    /// Clockwise quarter turns, 0…3.
    public var quarterTurns = 0

    public init() {}
}

/// Brings captured pictures upright, to square pixels and to 8-bit 4:2:0, and shows the part that was asked for.
///
/// One libavfilter graph, made anew when the view or the source's form changes. The size of what comes out changes only
/// with the aspect, the turn and the source, so that zooming doesn't disturb encoders.
public final class LiveGeometry {
    /// What comes in, as far as the graph depends on it.
    private struct Form: Equatable {
        var width: Int
        var height: Int
        var format: PixelFormat
        var colorRange: UInt32
        var colorSpace: UInt32
        var orientation: Orientation
        var aspect: Rational
        var view: LiveView
    }

    public var view = LiveView()
    private var form: Form?
    private var graph: PictureGraph?

    public init() {}

    /// The picture as it is to be looked at and shown, in a form that the kernels can work on: `yuv420p`.
    public func convert(
        _ frame: consuming Frame, orientation: Orientation, sampleAspectRatio: Rational?
    ) throws(MediaError) -> Frame {
        let properties = frame.pointer.pointee
        let aspect = sampleAspectRatio ?? Rational(1, 1)
        let form = Form(
            width: frame.width, height: frame.height, format: frame.format, colorRange: properties.color_range.rawValue,
            colorSpace: properties.colorspace.rawValue, orientation: orientation, aspect: aspect, view: view)
        let isEven = frame.width % 2 == 0 && frame.height % 2 == 0
        if frame.format == PixelFormat(AV_PIX_FMT_YUV420P), orientation == .up, aspect.num == aspect.den, isEven,
            view == LiveView(), properties.color_range != AVCOL_RANGE_JPEG
        {
            return frame
        }
        if form != self.form || graph == nil {
            graph = try PictureGraph(like: frame, filters: Self.filters(form))
            self.form = form
        }
        guard let graph else { return frame }
        let isDamaged = frame.isDamaged
        var result = try graph.convert(frame)
        result.isDamaged = isDamaged
        return result
    }

    /// The chain in FFmpeg's words.
    private static func filters(_ form: Form) -> String {
        var chain: [String] = []
        switch form.orientation.rawValue {
        case 2: chain += ["hflip"]
        case 3: chain += ["hflip", "vflip"]
        case 4: chain += ["vflip"]
        case 5: chain += ["transpose=cclock_flip"]
        case 6: chain += ["transpose=clock"]
        case 7: chain += ["transpose=clock_flip"]
        case 8: chain += ["transpose=cclock"]
        default: break
        }
        var (width, height) =
            form.orientation.swapsAxes ? (form.height, form.width) : (form.width, form.height)
        var aspect = form.aspect.value
        if form.orientation.swapsAxes { aspect = 1 / aspect }
        if aspect.isFinite, aspect > 0, aspect != 1 {
            width = max(2, Int((Double(width) * aspect).rounded()))
            chain.append("scale=\(width):\(height):flags=bilinear")
        }
        let view = form.view
        if view.quarterTurns % 4 != 0 {
            chain += [["transpose=clock"], ["hflip", "vflip"], ["transpose=cclock"]][view.quarterTurns % 4 - 1]
            if view.quarterTurns % 2 == 1 { swap(&width, &height) }
        }
        if view.isMirrored { chain.append("hflip") }
        // The part that the aspect leaves, which is the output's size; then the part of it that the zoom leaves.
        var (outWidth, outHeight) = (Double(width), Double(height))
        if let wanted = view.aspect?.value, wanted > 0 {
            outWidth = min(outWidth, outHeight * wanted)
            outHeight = min(outHeight, outWidth / wanted)
        }
        let (evenWidth, evenHeight) = (max(2, Int(outWidth) & ~1), max(2, Int(outHeight) & ~1))
        let zoom = min(max(view.zoom, 1), 8)
        let (cutWidth, cutHeight) = (Double(evenWidth) / zoom, Double(evenHeight) / zoom)
        if Int(cutWidth) != width || Int(cutHeight) != height {
            let x = (Double(width) - cutWidth) / 2 + view.panX * (Double(evenWidth) - cutWidth) / 2
            let y = (Double(height) - cutHeight) / 2 + view.panY * (Double(evenHeight) - cutHeight) / 2
            chain.append(
                "crop=\(max(2, Int(cutWidth))):\(max(2, Int(cutHeight))):\(max(0, Int(x))):\(max(0, Int(y)))")
        }
        chain.append("scale=\(evenWidth):\(evenHeight):flags=bilinear:out_range=tv")
        chain.append("format=yuv420p")
        chain.append("setsar=1")
        return chain.joined(separator: ",")
    }
}

/// A filter graph with one picture in and one out at a time; owns it.
private final class PictureGraph {
    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?

    init(like frame: borrowing Frame, filters: String) throws(MediaError) {
        guard let graph = avfilter_graph_alloc() else {
            throw MediaError(.internalFailure, "preparing the picture", detail: "out of memory")
        }
        self.graph = graph
        graph.pointee.nb_threads = 1
        let input =
            "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format):time_base=1/90000:pixel_aspect=1/1"
        let operation = "preparing the picture"
        try check(
            avfilter_graph_create_filter(&source, avfilter_get_by_name("buffer"), "in", input, nil, graph),
            .unsupported, operation, file: nil)
        try check(
            avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nil, nil, graph),
            .unsupported, operation, file: nil)
        var outputs = avfilter_inout_alloc()
        var inputs = avfilter_inout_alloc()
        defer {
            avfilter_inout_free(&inputs)
            avfilter_inout_free(&outputs)
        }
        outputs?.pointee.name = av_strdup("in")
        outputs?.pointee.filter_ctx = source
        inputs?.pointee.name = av_strdup("out")
        inputs?.pointee.filter_ctx = sink
        try check(
            avfilter_graph_parse_ptr(graph, filters, &inputs, &outputs, nil), .unsupported, operation, file: nil)
        try check(avfilter_graph_config(graph, nil), .unsupported, operation, file: nil)
    }

    deinit { avfilter_graph_free(&graph) }

    func convert(_ frame: consuming Frame) throws(MediaError) -> Frame {
        let pts = frame.pts
        // The filter takes the reference over.
        try check(
            av_buffersrc_add_frame(source, frame.pointer), .internalFailure, "preparing the picture", file: nil)
        var result = try Frame()
        try check(
            av_buffersink_get_frame(sink, result.pointer), .internalFailure, "preparing the picture", file: nil)
        result.pts = pts
        return result
    }
}
