#if TLS
internal import CTLS
internal import LinuxPlatform

/// A client's TLS sessions by server name. Resuming one saves a full handshake.
final class SessionCache: Sendable {
    /// Names in the cache. The least recently used name is evicted.
    static let nameLimit = 256
    /// Servers issue two tickets a connection, and each parallel connection uses one up.
    static let sessionsForEachName = 4

    /// An owned reference to an OpenSSL session.
    private final class Session: Sendable {
        // Safety: OpenSSL's reference counts are atomic, and a finished session does not change.
        nonisolated(unsafe) let handle: OpaquePointer
        init(adopting handle: OpaquePointer) { self.handle = handle }
        deinit { SSL_SESSION_free(handle) }

        var isUsable: Bool {
            let seconds = RealtimeClock.nanoseconds() / 1_000_000_000
            let end = SSL_SESSION_get_time(handle) + SSL_SESSION_get_timeout(handle)
            return SSL_SESSION_is_resumable(handle) == 1 && Int64(seconds) < Int64(end)
        }

        /// RFC 8446 asks clients to use a ticket once, so that observers cannot link connections.
        var isForOneUse: Bool { SSL_SESSION_get_protocol_version(handle) == TLS1_3_VERSION }
    }

    private struct Entry {
        let name: String
        /// Newest last.
        var sessions: [Session]
    }

    /// Ordered by last use, most recent last.
    private let entries = Locked<[Entry]>([])

    /// Takes ownership of one reference to the session.
    func store(adopting handle: OpaquePointer, for name: String) {
        let session = Session(adopting: handle)
        // Returned, so that the sessions are freed outside the lock.
        _ = entries.withLock { entries -> [Session] in
            var gone: [Session] = []
            var entry = Entry(name: name, sessions: [])
            if let index = entries.firstIndex(where: { $0.name == name }) {
                entry = entries.remove(at: index)
            } else if entries.count == Self.nameLimit {
                gone = entries.removeFirst().sessions
            }
            entry.sessions.append(session)
            if entry.sessions.count > Self.sessionsForEachName {
                gone.append(entry.sessions.removeFirst())
            }
            entries.append(entry)
            return gone
        }
    }

    /// Frees all sessions.
    func removeAll() {
        _ = entries.withLock { entries -> [Entry] in
            defer { entries = [] }
            return entries
        }
    }

    /// Offers the newest usable session for `name` in the handshake of `ssl`.
    func resume(_ ssl: OpaquePointer, for name: String) {
        let session = entries.withLock { entries -> Session? in
            guard let index = entries.firstIndex(where: { $0.name == name }) else { return nil }
            var entry = entries.remove(at: index)
            entry.sessions.removeAll { !$0.isUsable }
            guard let session = entry.sessions.last else { return nil }
            if session.isForOneUse { entry.sessions.removeLast() }
            if !entry.sessions.isEmpty { entries.append(entry) }
            return session
        }
        // SSL_set_session retains the session.
        if let session { SSL_set_session(ssl, session.handle) }
    }
}
#endif
