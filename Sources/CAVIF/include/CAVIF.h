// An AV1 encoder for libheif: its own, up to version 1.15, asks libaom for a profile that can't hold 10-bit 4:2:0 or 4:4:4,
// and libaom ends the program.
#ifndef CAVIF_H
#define CAVIF_H

/// Makes libheif take this encoder for AVIF pictures. To be called once. Returns 0, or -1 where libheif refuses.
int cavif_register(void);

#endif
