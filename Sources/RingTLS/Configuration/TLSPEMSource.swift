#if TLS
/// Where text in PEM form (`-----BEGIN ...`) comes from.
public enum TLSPEMSource: Sendable, Equatable {
    /// The path of a file. Each context that is made reads it again.
    case file(String)
    /// The text itself.
    case bytes([UInt8])

    var name: String {
        switch self {
        case .file(let path): "'\(path)'"
        case .bytes: "the bytes given"
        }
    }
}
#endif
