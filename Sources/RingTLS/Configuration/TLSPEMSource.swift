#if TLS
/// A source of PEM text (`-----BEGIN ...`).
public enum TLSPEMSource: Sendable, Equatable {
    /// The path of a file. Each new context reads the file again.
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
