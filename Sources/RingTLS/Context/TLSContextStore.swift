#if TLS
internal import LinuxPlatform

/// The context for connections to come, which can be replaced while others are open: for
/// certificates that are renewed. All of it may be used from any thread.
public final class TLSContextStore: Sendable {
    private let context: Guarded<TLSContext>

    public init(_ context: TLSContext) {
        self.context = Guarded(context)
    }

    /// Makes the first context.
    public convenience init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.init(try TLSContext(configuration))
    }

    /// What a connection that begins at this moment uses. Connections keep the one they began with.
    public var current: TLSContext { context.withLock { $0 } }

    /// From this moment on connections begin with another context of the same role.
    public func replace(with context: TLSContext) {
        if context.configuration.role != current.configuration.role {
            fatalMisuse("TLSContextStore.replace: the context is for the other role")
        }
        // The one before may be freed, which is not for the lock to wait for.
        let before = self.context.withLock { current in
            let before = current
            current = context
            return before
        }
        _ = before
    }

    /// Reads the files of the current context's configuration again. When that fails, connections
    /// go on with the context there is.
    public func reload() throws(TLSError) {
        replace(with: try TLSContext(current.configuration))
    }
}
#endif
