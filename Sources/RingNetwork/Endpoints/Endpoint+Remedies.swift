internal import LinuxPlatform

extension Endpoint {
    /// The remedy when a socket cannot be bound to this endpoint, or cannot accept there; empty if
    /// there is none.
    /// - Parameter listens: a stream socket; otherwise one for datagrams.
    func bindingRemedy(_ code: Int32, listens: Bool) -> String {
        switch code {
        case ErrorCode.addressInUse where isUnix:
            return "another \(listens ? "server listens" : "program receives") there: stop it, or "
                + "choose another name; if none does, this user may not write to the file: "
                + "remove it"
        case ErrorCode.addressInUse:
            return "another program \(listens ? "listens" : "receives") there: stop it "
                + "(ss -l\(listens ? "t" : "u")np shows it), or choose another port; port 0 picks "
                + "a free one"
        case ErrorCode.addressNotAvailable:
            return "the address is not one of this machine's: 'ip address' lists them"
        case ErrorCode.noEntry:
            return "the folder of the path does not exist: create it first"
        case ErrorCode.access where isUnix:
            return "the folder of the path is not writable: choose another path"
        case ErrorCode.access:
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: use a higher one"
        case _ where ErrorCode.isDescriptorShortage(code):
            return ErrorCode.descriptorRemedy(code)
        default:
            return ""
        }
    }

    /// The remedy when a socket cannot be connected to this endpoint; empty if there is none.
    /// - Parameter call: `connect`, or `bind` for the local endpoint.
    func connectingRemedy(_ code: Int32, call: String) -> String {
        switch code {
        case ErrorCode.connectionRefused:
            return isUnix
                ? "its server has exited and left the file behind: restart it"
                : "nobody listens there: check the port, and whether the server runs"
        case ErrorCode.timedOut:
            return "no answer: check the address, and the firewalls in between"
        case ErrorCode.networkUnreachable, ErrorCode.hostUnreachable:
            return "there is no route to it: check the address and the routes ('ip route')"
        case ErrorCode.noEntry:
            return "there is no such socket: check the path, and whether the server runs"
        case ErrorCode.wrongType:
            return "that is not a stream socket: check the path"
        case ErrorCode.access, ErrorCode.notPermitted:
            return isUnix
                ? "this user may not write to the socket's file, or enter a folder above it"
                : "a rule of the local firewall forbids it"
        case ErrorCode.addressNotAvailable where call == "bind":
            return "the local address is not one of this machine's: 'ip address' lists them"
        case ErrorCode.addressNotAvailable:
            return "no local port is free: reuse connections, or widen "
                + "net.ipv4.ip_local_port_range"
        case ErrorCode.addressInUse:
            return isUnix
                ? "the local endpoint is in use: use another abstract name"
                : "the local endpoint is in use: use port 0 for a free port"
        case ErrorCode.familyNotSupported where call == "bind":
            return "the local endpoint is of another address family: choose one of the same"
        default:
            return ""
        }
    }
}
