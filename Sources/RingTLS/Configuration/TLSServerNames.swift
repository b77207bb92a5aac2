#if TLS
/// Chooses a server's context by the name that the client asks for (SNI, RFC 6066).
///
/// Clients that name nobody, and names that are unknown, get the context that the engine was made
/// with, unless unknown names are refused.
public struct TLSServerNames: Sendable {
    /// Whether a name that has no context ends the handshake (alert `unrecognized name`).
    public var refusesUnknownNames: Bool
    let choose: @Sendable (String) -> TLSContext?

    /// A closure that gives the context for a name in lower case. It runs inside of the engine's
    /// `receive`, on that queue, must not use the engine, and should be quick: look a context up,
    /// make none.
    public init(
        refusesUnknownNames: Bool = false, _ choose: @escaping @Sendable (String) -> TLSContext?
    ) {
        self.refusesUnknownNames = refusesUnknownNames
        self.choose = choose
    }

    /// A fixed table. `*.example.org` stands for names with one more label, as in certificates.
    public init(_ table: [String: TLSContext], refusesUnknownNames: Bool = false) {
        let pairs = table.map { (Self.normalized($0.key), $0.value) }
        let contexts = Dictionary(pairs) { first, _ in first }
        self.init(refusesUnknownNames: refusesUnknownNames) { name in
            if let context = contexts[name] { return context }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            return contexts["*" + name[dot...]]
        }
    }

    /// Names are compared without regard to case and to the root's dot.
    static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
#endif
