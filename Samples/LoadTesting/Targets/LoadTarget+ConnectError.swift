internal import RingDispatch
internal import RingNetwork

extension LoadTarget {
    /// The cause of a failed connect, and the remedy.
    func finding(of error: ConnectError) -> Finding {
        let code = error.attempts.first?.cause.code
        switch error.reason {
        case .timedOut: return Finding(.connect, text(.timedOut))
        case .allFailed:
            let kind: ErrorCounts.Kind = code == .connectionRefused ? .refused : .connect
            return Finding(kind, text(code ?? .connectionRefused))
        default: return Finding(.connect, "\(self): \(error)")
        }
    }

    private func text(_ code: ErrorNumber) -> String {
        switch code {
        case .connectionRefused:
            "connection refused: is the server running on \(place)?"
        case .timedOut:
            "no answer from \(place): is the address right, and does a firewall drop it?"
        case .networkUnreachable, .noRouteToHost:
            "no route to \(place): is the address right?"
        case .noSuchFileOrDirectory:
            "\(place) does not exist: is the server running, and the path right?"
        case .connectionReset, .brokenPipe:
            "\(place) closed a new connection: is the server out of descriptors or memory?"
        case .addressNotAvailable:
            "no local port left towards \(place): use fewer --connections, several "
                + "--source addresses, or widen net.ipv4.ip_local_port_range"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            "no descriptors left: raise the limit with ulimit -n, or use fewer --connections"
        default:
            "cannot connect to \(place): \(code)"
        }
    }
}
