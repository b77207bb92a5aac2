#if TLS
internal import CTLS
internal import LinuxPlatform

/// The calling thread's queue of OpenSSL's errors: what the last call left there.
struct OpenSSLErrors {
    /// One entry: which part of OpenSSL, which reason, and its text.
    struct Entry {
        let library: Int32
        let reason: Int32
        let text: String
    }

    /// The cause comes first, what it led to later.
    let entries: [Entry]

    /// An old error must not be taken for one of the next call.
    static func clear() {
        // Clearing is the slower of the two, and the queue is empty nearly always.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue.
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

    func contains(library: Int32, reason: Int32) -> Bool {
        entries.contains { $0.library == library && $0.reason == reason }
    }
}
#endif
