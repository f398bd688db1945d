/// What an H.264 or HEVC packet holds besides the picture that decoders show, by the types of its units.
enum CodedLayers {
    /// Bytes of a unit's length in MP4's form (ISO 14496-15); 0 for units behind start codes.
    ///
    /// - Parameter description: the decoder's configuration record, which the container carries apart from the packets.
    static func lengthSize(_ description: UnsafeBufferPointer<UInt8>, isHEVC: Bool) -> Int {
        let offset = isHEVC ? 21 : 4
        guard description.count > offset, description[0] == 1 else { return 0 }
        return Int(description[offset] & 3) + 1
    }

    /// Whether a unit belongs to a second view, a further layer or a picture that isn't shown.
    ///
    /// H.264, table 7-1: 14, 15 and 20 are of scalable and multi-view streams, 19 is an auxiliary picture, 21 a depth
    /// view. HEVC, 7.4.2.2: layers above 0; 63 carries Dolby Vision's enhancement layer.
    static func isFurther(_ first: UInt8, _ second: UInt8, isHEVC: Bool) -> Bool {
        if isHEVC {
            let layer = (first & 1) << 5 | second >> 3
            return layer > 0 || first >> 1 & 0x3F == 63
        }
        return [14, 15, 19, 20, 21].contains(first & 0x1F)
    }

    /// - Parameter lengthSize: see `lengthSize(_:isHEVC:)`.
    static func holdFurther(_ bytes: UnsafeBufferPointer<UInt8>, lengthSize: Int, isHEVC: Bool) -> Bool {
        var at = 0
        let count = bytes.count
        if lengthSize > 0 {
            while at + lengthSize + 1 < count {
                var length = 0
                for i in 0..<lengthSize { length = length << 8 | Int(bytes[at + i]) }
                at += lengthSize
                if isFurther(bytes[at], bytes[at + 1], isHEVC: isHEVC) { return true }
                at += length
            }
            return false
        }
        while at + 4 < count {
            // The third byte of a start code is the only one that isn't 0: most places are passed three at a time.
            if bytes[at + 2] > 1 {
                at += 3
            } else if bytes[at] == 0 && bytes[at + 1] == 0 && bytes[at + 2] == 1 {
                if isFurther(bytes[at + 3], bytes[at + 4], isHEVC: isHEVC) { return true }
                at += 3
            } else {
                at += 1
            }
        }
        return false
    }
}
