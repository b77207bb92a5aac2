#if TLS
internal import CTLS
internal import LinuxPlatform

/// A client's sessions, by the server's name, so that later connections save a handshake.
final class SessionCache: Sendable {
    /// The names that are remembered; the one unused for longest goes first.
    static let nameLimit = 256
    /// A server issues two tickets a connection; parallel connections use one each.
    static let sessionsForEachName = 4

    /// One reference to a session of OpenSSL.
    private final class Session: @unchecked Sendable {
        // Safety: OpenSSL counts references with atomics and does not change a finished session.
        let handle: OpaquePointer
        init(adopting handle: OpaquePointer) { self.handle = handle }
        deinit { SSL_SESSION_free(handle) }

        var isUsable: Bool {
            let seconds = MonotonicClock.realtimeNanoseconds() / 1_000_000_000
            let end = SSL_SESSION_get_time(handle) + SSL_SESSION_get_timeout(handle)
            return SSL_SESSION_is_resumable(handle) == 1 && Int64(seconds) < Int64(end)
        }

        /// RFC 8446 wants a ticket to be used once, so that connections cannot be linked.
        var isForOneUse: Bool { SSL_SESSION_get_protocol_version(handle) == TLS1_3_VERSION }
    }

    private struct Entry {
        let name: String
        /// The newest last.
        var sessions: [Session]
    }

    /// The name that was used last comes last.
    private let entries = Guarded<[Entry]>([])

    /// Takes over one reference to the session.
    func store(adopting handle: OpaquePointer, for name: String) {
        let session = Session(adopting: handle)
        // What goes is freed after the lock is given back.
        let gone = entries.withLock { entries -> [Session] in
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
        _ = gone
    }

    /// Offers the newest session for the name in the handshake of `ssl`, if there is one.
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
        // OpenSSL takes a reference of its own.
        if let session { SSL_set_session(ssl, session.handle) }
    }
}
#endif
