internal import Glibc

/// The time now, in a format of strftime(3).
package func utcTime(_ format: String) -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    // In the C locale, in which a program starts.
    return String(unsafeUninitializedCapacity: 40) { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
            // Safety: strftime writes at most `count` bytes.
            strftime(text.baseAddress, text.count, format, &parts)
        }
    }
}
