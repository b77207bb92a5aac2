internal import Glibc
internal import RingNetwork

extension LoadPlan {
    /// Sets `observedProcess` to the process that listens at the targets.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public mutating func observeServer() throws {
        var processes: Set<Int32> = []
        for target in targets { processes.insert(try target.serverProcess()) }
        guard processes.count == 1 else {
            throw LoadFailure("the targets belong to several processes: choose one with --pid")
        }
        observedProcess = processes.first
    }
}

extension LoadTarget {
    /// The process on this machine that listens at the target. proc(5).
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public func serverProcess() throws -> Int32 {
        guard isOnThisMachine else {
            throw LoadFailure(
                "\(self): only of a loopback address or a Unix socket is it certain that the "
                    + "server runs on this machine; if it does, name its process with --pid")
        }
        let sockets = Set(listeningSockets.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else {
            throw LoadFailure("\(self): nothing listens there; start the server first")
        }
        let processes = ProcFolder.names(in: "/proc").filter { process in
            let folder = "/proc/\(process)/fd"
            return ProcFolder.names(in: folder).contains {
                ProcFolder.link("\(folder)/\($0)").map(sockets.contains) == true
            }
        }.compactMap { Int32($0) }.sorted()
        switch processes.count {
        case 1: return processes[0]
        case 0:
            throw LoadFailure(
                "\(self): the server's process cannot be seen: it belongs to another user or "
                    + "container; name it with --pid")
        default:
            throw LoadFailure(
                "\(self): several processes have this socket: "
                    + "\(processes.map(String.init).joined(separator: ", ")); choose one with "
                    + "--pid")
        }
    }

    private var isOnThisMachine: Bool {
        switch endpoint {
        case .ipv4, .ipv6: endpoint.ipAddress?.isLoopback == true
        case .host(let host, _): host.isLocalhost
        case .unix: true
        }
    }

    /// The inode numbers of the sockets that listen at the target's port or path.
    private var listeningSockets: [Substring] {
        if case .unix(let address) = endpoint {
            let name = String(decoding: address.bytes, as: UTF8.self)
            let path = address.isAbstract ? "@" + name : name
            return Self.rows(of: "unix").compactMap { row in
                // Num, RefCount, Protocol, Flags, Type, St, Inode, Path
                let accepts = row.count > 7 && row[3] == "00010000"
                return accepts && row[7...].joined(separator: " ") == path ? row[6] : nil
            }
        }
        let kind = scheme == .udp ? "udp" : "tcp"
        // TCP_LISTEN; an unconnected datagram socket is in the state TCP_CLOSE.
        let state = scheme == .udp ? "07" : "0A"
        return [kind, kind + "6"].flatMap(Self.rows).compactMap { row in
            // sl, local_address, rem_address, st, queues, timer, retransmits, uid, timeout, inode
            guard row.count > 9, row[3] == state,
                let port = row[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) })
            else { return nil }
            return port == endpoint.port ? row[9] : nil
        }
    }

    private static func rows(of table: String) -> [[Substring]] {
        (contents(of: "/proc/net/\(table)") ?? "").split(separator: "\n").dropFirst().map {
            $0.split(separator: " ")
        }
    }
}
