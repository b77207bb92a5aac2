internal import Glibc

extension Sockets {
    /// Binds a socket, then calls `next`. If that throws, the file of a Unix socket is removed.
    /// - Parameters:
    ///   - mode: of the file, regardless of the umask; nil: the umask decides.
    ///   - replacesStale: whether a file is replaced where no program listens or receives.
    static func bind(
        _ descriptor: Int32, _ type: __socket_type, to address: SocketAddress, mode: UInt32?,
        replacesStale: Bool, then next: () throws(SystemError) -> Void
    ) throws(SystemError) {
        guard case .unixPath(let path) = address.parts else {
            try bind(descriptor, to: address)
            return try next()
        }
        // bind(2) gives the file the socket's mode, minus the umask, so it is never wider than
        // requested.
        if let mode { try checked("fchmod") { fchmod(descriptor, mode_t(mode)) } }
        do throws(SystemError) {
            try bind(descriptor, to: address)
        } catch {
            guard error.code == EADDRINUSE else { throw error }
            try removeStale(UnixSocketFile(path), type, replacesStale: replacesStale)
            try bind(descriptor, to: address)
        }
        let file = UnixSocketFile(path)
        do throws(SystemError) {
            if let mode { try file?.widen(to: mode) }
            try next()
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Throws if the file must stay.
    private static func removeStale(
        _ file: UnixSocketFile?, _ type: __socket_type, replacesStale: Bool
    ) throws(SystemError) {
        guard let file else {
            throw SystemError(
                call: "bind", code: EADDRINUSE,
                remedy: "a file that is not a socket is there: remove it, or choose another path")
        }
        guard replacesStale else {
            throw SystemError(
                call: "bind", code: EADDRINUSE,
                remedy: "another program uses the path, or left the file behind: remove it, or set "
                    + "replacesStaleUnixSocket")
        }
        guard file.isStale(type) else { throw SystemError(call: "bind", code: EADDRINUSE) }
        file.remove()
    }
}
