// A fuzz target for every place where Veil itself takes bytes apart: the reader of plans, the outline of containers
// and the units of coded packets.
// Compiled by scripts/fuzz.sh together with the sources it tests, so that all of them are instrumented.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let plan = try? RedactionPlan(json: bytes) { check(plan) }
    // The outline of a file of this and of any other length.
    for size in [UInt64(count), UInt64(count) / 2, UInt64.max, UInt64(Int64.max)] {
        _ = ContainerLength.isCutOff(size: size) { offset, length in
            guard offset < UInt64(count) else { return [] }
            return Array(bytes[Int(offset)...].prefix(length))
        }
    }
    // Units behind lengths of each size and behind start codes, as packets and as what describes them.
    bytes.withUnsafeBufferPointer { bytes in
        for isHEVC in [false, true] {
            for size in 0...4 { _ = CodedLayers.holdFurther(bytes, lengthSize: size, isHEVC: isHEVC) }
            guard (0...4).contains(CodedLayers.lengthSize(bytes, isHEVC: isHEVC)) else { fatalError("no such length") }
        }
    }
    return 0
}

/// A plan that was read can be written, read again as the same plan, summed up, and walked through.
private func check(_ plan: RedactionPlan) {
    guard let written = try? plan.encoded() else { fatalError("a plan that was read can't be written") }
    guard let again = try? RedactionPlan(json: written) else { fatalError("a written plan can't be read") }
    guard again == plan, (try? again.encoded()) == written else { fatalError("a plan isn't what was written") }
    _ = try? PlanSummary(plan).encoded()
    guard var cursor = try? PlanCursor(plan) else { return }
    for frame in plan.frames { _ = cursor.next(pts: frame.pts) }
    for pts in [Int64.min, -1, 0, 1, Int64.max] { _ = cursor.next(pts: pts) }
}
