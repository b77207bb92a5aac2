// The endless text of RFC 864: lines of 72 printable characters, each shifted by one. The same
// bytes as in Samples/EchoServer/CharacterGenerator.swift.
#ifndef CHARACTERS_H
#define CHARACTERS_H

#include <stddef.h>

enum { PRINTABLE = 95, LINE_BYTES = 74, TEXT_PERIOD = PRINTABLE * LINE_BYTES };

static inline void fill_with_text(char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t line = i / LINE_BYTES, column = i % LINE_BYTES;
        bytes[i] = column < 72 ? (char)(' ' + (line + column) % PRINTABLE) : "\r\n"[column - 72];
    }
}

#endif
