internal import LinuxPlatform

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

    /// What to do when a socket cannot be connected to it; empty where nothing is known.
    /// - Parameter call: `connect`, or `bind` for the local endpoint.
    func connectingRemedy(_ code: Int32, call: String) -> String {
        switch code {
        case ErrorCode.connectionRefused:
            return isUnix
                ? "its server has gone and left the file behind: start it again"
                : "nobody listens there: check the port, and whether the server runs"
        case ErrorCode.timedOut:
            return "no answer: check the address, and the firewalls in between"
        case ErrorCode.networkUnreachable, ErrorCode.hostUnreachable:
            return "there is no way there: check the address and the routes ('ip route')"
        case ErrorCode.noEntry:
            return "there is no such socket: check the path, and whether the server runs"
        case ErrorCode.wrongType:
            return "that is no stream socket: check the path"
        case ErrorCode.access, ErrorCode.notPermitted:
            return isUnix
                ? "this user may not write to the socket's file, or not enter a folder above it"
                : "a rule of the local firewall forbids it"
        case ErrorCode.addressNotAvailable where call == "bind":
            return "the local endpoint is none of this machine's: 'ip address' lists them"
        case ErrorCode.addressNotAvailable:
            return "the local ports are used up: reuse connections, or raise "
                + "net.ipv4.ip_local_port_range"
        case ErrorCode.addressInUse:
            return "the local endpoint is in use: take the port 0, for a free one"
        case ErrorCode.familyNotSupported where call == "bind":
            return "the local endpoint is of another kind: choose one of the same family"
        default:
            return ""
        }
    }
}
