#if TLS
/// Chooses a server's context by the name that the client requests (SNI, RFC 6066).
///
/// Clients without SNI, and names without a context, use the engine's initial context, unless
/// `refusesUnknownNames` is set.
public struct TLSServerNames: Sendable {
    /// Whether a name without a context ends the handshake (alert `unrecognized name`).
    public var refusesUnknownNames: Bool
    let choose: @Sendable (String) -> TLSContext?
    /// Nil: a closure chooses.
    private var table: [String: TLSContext]?

    /// Chooses contexts by a closure, which receives the name in lower case. The closure runs
    /// inside the engine's `receive`, on the engine's queue, and must not use the engine. It should
    /// be quick: look up a context, do not create one. `TLSContextStore.reload()` does not know its
    /// contexts: renew them yourself.
    public init(
        refusesUnknownNames: Bool = false, _ choose: @escaping @Sendable (String) -> TLSContext?
    ) {
        self.refusesUnknownNames = refusesUnknownNames
        self.choose = choose
    }

    /// Chooses contexts by a fixed table. `*.example.org` matches names with exactly one more
    /// label, as in certificates.
    public init(_ table: [String: TLSContext], refusesUnknownNames: Bool = false) {
        let pairs = table.map { (Self.normalized($0.key), $0.value) }
        let contexts = Dictionary(pairs) { first, _ in first }
        self.init(refusesUnknownNames: refusesUnknownNames) { name in
            if let context = contexts[name] { return context }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            return contexts["*" + name[dot...]]
        }
        self.table = contexts
    }

    /// The same names with new contexts, whose files are read again.
    func reloaded() throws -> TLSServerNames {
        guard let table else { return self }
        var renewed: [ObjectIdentifier: TLSContext] = [:]
        let contexts = try table.mapValues { context in
            let known = ObjectIdentifier(context)
            let new = try renewed[known] ?? TLSContext(context.configuration)
            renewed[known] = new
            return new
        }
        return TLSServerNames(contexts, refusesUnknownNames: refusesUnknownNames)
    }

    /// Lower case, without a trailing dot.
    static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
#endif
