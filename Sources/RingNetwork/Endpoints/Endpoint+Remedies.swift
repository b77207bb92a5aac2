internal import Ring

extension Endpoint {
    /// What a socket is bound for.
    enum SocketUse {
        case listening
        case datagrams
    }

    /// What to do when a socket cannot be bound here; empty where nothing is known.
    func bindingRemedy(_ code: Int32, for use: SocketUse) -> String {
        switch (code, use) {
        case (ErrorCode.addressInUse, .listening) where isUnix:
            return "another server listens there, or left the file behind: remove it, or set "
                + "replacesStaleUnixSocket"
        case (ErrorCode.addressInUse, .datagrams) where isUnix:
            return "another program receives there, or left the file behind: remove it"
        case (ErrorCode.addressInUse, .listening):
            return "another program listens there: stop it (ss -ltnp shows it), or take another "
                + "port; port 0 takes a free one"
        case (ErrorCode.addressInUse, .datagrams):
            return "another program receives there: stop it (ss -lunp shows it), or take another "
                + "port; port 0 takes a free one"
        case (ErrorCode.addressNotAvailable, _):
            return "the address is none of this machine's: 'ip address' lists them"
        case (ErrorCode.noEntry, _):
            return "the folder that the path names does not exist: create it first"
        case (ErrorCode.access, _) where isUnix:
            return "the folder that the path names cannot be written to: take another path"
        case (ErrorCode.access, _):
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: take a higher one"
        default:
            return ""
        }
    }
}
