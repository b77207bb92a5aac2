#if TLS
internal import LinuxPlatform

/// The context for new connections. It can be replaced while connections are open, to renew
/// certificates. All members may be used from any thread.
public final class TLSContextStore: Sendable {
    private let context: Locked<TLSContext>

    /// Creates a store with the context for the first connections. It also decides the role of the
    /// contexts that replace it.
    public init(_ context: TLSContext) {
        self.context = Locked(context)
    }

    /// Creates the first context from a configuration.
    /// - Throws: ``TLSError``, as ``TLSContext``.
    public convenience init(_ configuration: TLSConfiguration) throws {
        self.init(try TLSContext(configuration))
    }

    /// The context for a new connection. Open connections keep the context they started with.
    public var current: TLSContext { context.withLock { $0 } }

    /// Sets the context for new connections. It must have the same role as the current one.
    public func replace(with context: TLSContext) {
        if context.configuration.role != current.configuration.role {
            fatalMisuse("TLSContextStore.replace: the context is for the other role")
        }
        // Returned, so that the previous context is freed outside the lock.
        _ = self.context.withLock { current in
            let before = current
            current = context
            return before
        }
    }

    /// Reloads the files of the current configuration, and those of the contexts in the table of
    /// its `serverNames`; contexts that a closure chooses are the program's to renew. On an error
    /// all current contexts stay in use.
    /// - Throws: ``TLSError``, as ``TLSContext``.
    public func reload() throws {
        var configuration = current.configuration
        configuration.serverNames = try configuration.serverNames?.reloaded()
        replace(with: try TLSContext(configuration))
    }
}
#endif
