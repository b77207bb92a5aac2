#if TLS
internal import CTLS
internal import LinuxPlatform

/// The errors of the last OpenSSL call, from the calling thread's error queue.
struct OpenSSLErrors {
    /// One error: OpenSSL's library number, the reason code and its text.
    struct Entry {
        let library: Int32
        let reason: Int32
        let text: String
    }

    /// In the order in which they were raised: the cause first.
    let entries: [Entry]

    /// Clears the queue before a call, so that an old error is not attributed to it.
    static func clear() {
        // ERR_clear_error is slower, and the queue is nearly always empty.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Removes and returns all errors of the queue.
    static func take() -> OpenSSLErrors {
        var entries: [Entry] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { return OpenSSLErrors(entries: entries) }
            let reason = ERR_GET_REASON(code)
            let library = ERR_GET_LIB(code)
            let text: String
            if library == ERR_LIB_SYS {
                text = SystemError.text(of: reason)
            } else {
                text =
                    ERR_reason_error_string(code).map { String(cString: $0) }
                    ?? "OpenSSL error \(code)"
            }
            entries.append(Entry(library: library, reason: reason, text: text))
        }
    }

    /// The distinct texts, the cause first.
    var text: String? {
        var texts: [String] = []
        for entry in entries where !texts.contains(entry.text) { texts.append(entry.text) }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
#endif
