// Exif, XMP and IPTC cleaned by exiv2, behind a plain C interface: no C++ exception leaves this library.
#ifndef CEXIF_H
#define CEXIF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How much is kept.
typedef enum cexif_policy {
    /// The orientation only.
    CEXIF_NONE = 0,
    /// Orientation, resolution, colour and camera settings.
    CEXIF_SAFE = 1,
    /// All but what may hold a picture.
    CEXIF_KEEP = 2,
} cexif_policy;

/// The orientation that Exif data (a TIFF structure, without "Exif\0\0") names: 1...8; 1 where it names none or can't be
/// read.
int cexif_orientation(const uint8_t *data, size_t size);

/// Exif data made anew from the tags that the policy allows. `*out` is to be freed with free(); NULL with size 0 where
/// nothing is left. `orientation` of 1...8 replaces the one that is there, 0 leaves it. Returns 0, or -1 where the data
/// can't be read (then nothing of it is given back but the orientation asked for).
int cexif_clean_exif(
    const uint8_t *data, size_t size, cexif_policy policy, int orientation, uint8_t **out, size_t *out_size);

/// An XMP packet without what may hold a picture. As above; -1 where it can't be read.
int cexif_clean_xmp(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size);

/// IPTC data (IIM) without previews of the object. As above.
int cexif_clean_iptc(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size);

/// Whether Exif data (a TIFF structure) can be read at all: 1 or 0.
int cexif_can_read(const uint8_t *data, size_t size);

/// The preview of this number, from 0, that a picture's metadata (Exif, XMP, IPTC, Photoshop's and makers') holds, as a
/// JPEG or TIFF file to be freed with free(). Returns 1 and the file; 0 behind the last; -1 where the metadata or this
/// preview can't be read, or where the picture is of a kind that isn't known.
int cexif_preview(const uint8_t *data, size_t size, int index, uint8_t **out, size_t *out_size);

#ifdef __cplusplus
}
#endif
#endif
