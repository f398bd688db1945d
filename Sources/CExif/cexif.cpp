#include "CExif.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exiv2/exiv2.hpp>
#include <mutex>
#include <set>
#include <string>

namespace {

/// Values longer than this are no settings; under CEXIF_KEEP, larger ones than `longestKept` may be pictures.
constexpr long longestSetting = 256;
constexpr long longestKept = 8192;

/// What says how a picture is to be shown, and how the camera stood. Nothing here is free text, names a person, a place, a
/// time or one particular device, or says where in the picture somebody is (SubjectArea).
const std::set<std::string> &settings() {
    static const std::set<std::string> keys = {
        "Exif.Image.Orientation", "Exif.Image.XResolution", "Exif.Image.YResolution", "Exif.Image.ResolutionUnit",
        "Exif.Image.YCbCrPositioning", "Exif.Image.YCbCrCoefficients", "Exif.Image.ReferenceBlackWhite",
        "Exif.Image.WhitePoint", "Exif.Image.PrimaryChromaticities", "Exif.Image.TransferFunction",
        "Exif.Image.ExifTag", "Exif.Photo.ExposureTime", "Exif.Photo.FNumber", "Exif.Photo.ExposureProgram",
        "Exif.Photo.ISOSpeedRatings", "Exif.Photo.SensitivityType", "Exif.Photo.StandardOutputSensitivity",
        "Exif.Photo.RecommendedExposureIndex", "Exif.Photo.ISOSpeed", "Exif.Photo.ISOSpeedLatitudeyyy",
        "Exif.Photo.ISOSpeedLatitudezzz", "Exif.Photo.ExifVersion", "Exif.Photo.ComponentsConfiguration",
        "Exif.Photo.CompressedBitsPerPixel", "Exif.Photo.ShutterSpeedValue", "Exif.Photo.ApertureValue",
        "Exif.Photo.BrightnessValue", "Exif.Photo.ExposureBiasValue", "Exif.Photo.MaxApertureValue",
        "Exif.Photo.SubjectDistance", "Exif.Photo.MeteringMode", "Exif.Photo.LightSource", "Exif.Photo.Flash",
        "Exif.Photo.FocalLength", "Exif.Photo.FlashpixVersion", "Exif.Photo.ColorSpace",
        "Exif.Photo.PixelXDimension", "Exif.Photo.PixelYDimension", "Exif.Photo.InteroperabilityTag",
        "Exif.Photo.FocalPlaneXResolution", "Exif.Photo.FocalPlaneYResolution",
        "Exif.Photo.FocalPlaneResolutionUnit", "Exif.Photo.ExposureIndex", "Exif.Photo.SensingMethod",
        "Exif.Photo.FileSource", "Exif.Photo.SceneType", "Exif.Photo.CustomRendered", "Exif.Photo.ExposureMode",
        "Exif.Photo.WhiteBalance", "Exif.Photo.DigitalZoomRatio", "Exif.Photo.FocalLengthIn35mmFilm",
        "Exif.Photo.SceneCaptureType", "Exif.Photo.GainControl", "Exif.Photo.Contrast", "Exif.Photo.Saturation",
        "Exif.Photo.Sharpness", "Exif.Photo.SubjectDistanceRange", "Exif.Photo.LensSpecification",
        "Exif.Photo.Gamma", "Exif.Iop.InteroperabilityIndex", "Exif.Iop.InteroperabilityVersion",
    };
    return keys;
}

bool isSetting(const Exiv2::Exifdatum &tag) {
    if (settings().count(tag.key()) == 0 || tag.size() > longestSetting) return false;
    // Text where a number belongs may say anything.
    switch (tag.typeId()) {
    case Exiv2::asciiString: return tag.key() == "Exif.Iop.InteroperabilityIndex" && tag.size() <= 4;
    case Exiv2::undefined: return tag.size() <= 4;
    case Exiv2::comment: return false;
    default: return true;
    }
}

/// Under CEXIF_KEEP: the groups of the standard only. Whatever a maker wrote in a form of their own, what points to
/// further pictures, and what is large enough for one goes.
bool mayStay(const Exiv2::Exifdatum &tag) {
    static const std::set<std::string> groups = {"Image", "Photo", "GPSInfo", "Iop"};
    static const std::set<std::string> forbidden = {
        "Exif.Photo.MakerNote", "Exif.Image.SubIFDs", "Exif.Image.XMLPacket", "Exif.Image.ImageResources",
        "Exif.Image.JPEGInterchangeFormat", "Exif.Image.JPEGInterchangeFormatLength", "Exif.Image.DNGPrivateData",
        "Exif.Image.StripOffsets", "Exif.Image.StripByteCounts", "Exif.Image.TileOffsets",
        "Exif.Image.TileByteCounts", "Exif.Image.JPEGTables", "Exif.Image.InterColorProfile", "Exif.Image.IPTCNAA",
        "Exif.Image.OriginalRawFileData", "Exif.Image.PrintImageMatching", "Exif.Photo.0xea1c", "Exif.Image.0xea1c",
    };
    if (groups.count(tag.groupName()) == 0 || forbidden.count(tag.key()) != 0) return false;
    if (tag.size() > longestKept) return false;
    // Tags that exiv2 doesn't know have their number for a name.
    return tag.tagName().rfind("0x", 0) != 0 || tag.size() <= longestSetting;
}

int give(const uint8_t *bytes, size_t size, uint8_t **out, size_t *outSize) {
    if (size == 0) return 0;
    *out = static_cast<uint8_t *>(std::malloc(size));
    if (!*out) return -1;
    std::memcpy(*out, bytes, size);
    *outSize = size;
    return 0;
}

void prepare() {
    static std::once_flag once;
    std::call_once(once, [] {
        Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
        Exiv2::XmpParser::initialize();
    });
}

Exiv2::ByteOrder read(const uint8_t *data, size_t size, Exiv2::ExifData &exif) {
    return Exiv2::ExifParser::decode(exif, data, static_cast<uint32_t>(size));
}

/// Runs `body`; whatever it throws is an unreadable file.
template <typename Body> int guarded(Body body) noexcept {
    try {
        prepare();
        return body();
    } catch (...) { return -1; }
}

} // namespace

int cexif_orientation(const uint8_t *data, size_t size) {
    const int found = guarded([&] {
        if (size > UINT32_MAX) return 1;
        Exiv2::ExifData exif;
        read(data, size, exif);
        const auto tag = exif.findKey(Exiv2::ExifKey("Exif.Image.Orientation"));
        return tag == exif.end() || tag->count() < 1 ? 1 : static_cast<int>(tag->toLong());
    });
    return found >= 1 && found <= 8 ? found : 1;
}

int cexif_clean_exif(
    const uint8_t *data, size_t size, cexif_policy policy, int orientation, uint8_t **out, size_t *outSize) {
    *out = nullptr;
    *outSize = 0;
    return guarded([&] {
        Exiv2::ExifData exif;
        Exiv2::ByteOrder order = Exiv2::littleEndian;
        int result = 0;
        try {
            if (size > 0 && size <= UINT32_MAX) order = read(data, size, exif);
        } catch (...) {
            exif.clear();
            result = -1;
        }
        if (order != Exiv2::bigEndian) order = Exiv2::littleEndian;
        Exiv2::ExifData clean;
        for (const auto &tag : exif) {
            const bool stays = policy == CEXIF_KEEP   ? mayStay(tag)
                               : policy == CEXIF_SAFE ? isSetting(tag)
                                                      : tag.key() == "Exif.Image.Orientation";
            if (stays) clean.add(tag);
        }
        if (orientation >= 1) {
            if (orientation == 1)
                for (auto tag = clean.findKey(Exiv2::ExifKey("Exif.Image.Orientation")); tag != clean.end();
                     tag = clean.findKey(Exiv2::ExifKey("Exif.Image.Orientation")))
                    clean.erase(tag);
            else clean["Exif.Image.Orientation"] = static_cast<uint16_t>(orientation);
        }
        if (clean.empty()) return result;
        Exiv2::Blob blob;
        Exiv2::ExifParser::encode(blob, order, clean);
        return give(blob.data(), blob.size(), out, outSize) == 0 ? result : -1;
    });
}

int cexif_clean_xmp(const uint8_t *data, size_t size, uint8_t **out, size_t *outSize) {
    *out = nullptr;
    *outSize = 0;
    return guarded([&] {
        Exiv2::XmpData xmp;
        if (Exiv2::XmpParser::decode(xmp, std::string(reinterpret_cast<const char *>(data), size)) != 0) return -1;
        Exiv2::XmpData clean;
        // Everything that stands for a further picture, or says that there is one: thumbnails, depth and gain maps, clips.
        static const std::set<std::string> names = {
            "xmpGImg", "GImage", "GDepth", "GAudio", "GPano", "GCamera", "GContainer", "Container", "Item", "hdrgm",
            "HDRGainMap", "Device", "Camera", "Profile", "DepthMap", "crs", "xapGImg"};
        for (const auto &property : xmp) {
            const std::string key = property.key();
            if (names.count(property.groupName()) != 0 || key.find("Thumbnail") != std::string::npos
                || key.find("GImg") != std::string::npos || key.find("Container") != std::string::npos
                || property.size() > longestKept)
                continue;
            clean.add(property);
        }
        if (clean.empty()) return 0;
        std::string packet;
        if (Exiv2::XmpParser::encode(packet, clean, Exiv2::XmpParser::useCompactFormat) != 0) return -1;
        return give(reinterpret_cast<const uint8_t *>(packet.data()), packet.size(), out, outSize);
    });
}

int cexif_clean_iptc(const uint8_t *data, size_t size, uint8_t **out, size_t *outSize) {
    *out = nullptr;
    *outSize = 0;
    return guarded([&] {
        Exiv2::IptcData iptc;
        if (size > UINT32_MAX || Exiv2::IptcParser::decode(iptc, data, static_cast<uint32_t>(size)) != 0) return -1;
        Exiv2::IptcData clean;
        for (const auto &set : iptc) {
            // 2:200 to 2:202 are the preview of the object, records from 7 on the object itself.
            if ((set.record() == 2 && set.tag() >= 200) || set.record() >= 7 || set.size() > longestKept) continue;
            clean.add(set);
        }
        if (clean.empty()) return 0;
        Exiv2::DataBuf buffer = Exiv2::IptcParser::encode(clean);
        return give(buffer.pData_, static_cast<size_t>(buffer.size_), out, outSize);
    });
}

int cexif_can_read(const uint8_t *data, size_t size) {
    return guarded([&] {
        if (size == 0 || size > UINT32_MAX) return 0;
        Exiv2::ExifData exif;
        return read(data, size, exif) == Exiv2::invalidByteOrder ? 0 : 1;
    }) == 1;
}

int cexif_preview(const uint8_t *data, size_t size, int index, uint8_t **out, size_t *outSize) {
    *out = nullptr;
    *outSize = 0;
    return guarded([&] {
        if (size > static_cast<size_t>(LONG_MAX)) return -1;
        const auto image = Exiv2::ImageFactory::open(data, static_cast<long>(size));
        if (image.get() == nullptr) return -1;
        image->readMetadata();
        // XMP that can't be read is passed over there.
        Exiv2::XmpData xmp;
        if (!image->xmpPacket().empty() && Exiv2::XmpParser::decode(xmp, image->xmpPacket()) != 0) return -1;
        const Exiv2::PreviewManager manager(*image);
        const auto previews = manager.getPreviewProperties();
        if (index < 0 || static_cast<size_t>(index) >= previews.size()) return 0;
        const auto preview = manager.getPreviewImage(previews[static_cast<size_t>(index)]);
        if (preview.size() == 0) return -1;
        return give(preview.pData(), preview.size(), out, outSize) == 0 ? 1 : -1;
    });
}
