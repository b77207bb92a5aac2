import Glibc
import RingDispatch
import RingNetwork
import SampleSupport
import WireFormats

/// The listeners, the datagram socket and the HTTP port, with their shared ledger.
final class Server {
    let ledger: Ledger
    private let mode: Mode
    private let tcp: Listener
    private let unix: Listener?
    private let udp: DatagramSocket?
    private let http: HTTPService?
    private let security: ServerSecurity
    private let hangUp: any DispatchSourceSignal

    /// Binds all sockets. Clients can connect from now on, and are served after `activate`.
    init(
        _ addresses: AddressOptions, _ mode: Mode, _ limits: LimitOptions,
        _ securityOptions: SecurityOptions
    ) throws {
        self.mode = mode
        let security = try ServerSecurity(securityOptions)
        self.security = security
        var options = limits.listenerOptions
        options.unixSocketMode = addresses.unixMode?.bits
        unix = try addresses.unix.map { path in
            try Listener(Endpoint("unix:" + path), options: options)
        }
        security.apply(to: &options)
        let tcp = try Server.listen(addresses, options)
        self.tcp = tcp
        udp = try addresses.udp ? DatagramSocket(Server.endpoint(tcp, addresses)) : nil
        ledger = Ledger(listeners: [tcp, unix].compactMap { $0 }, udp: udp)
        http = try addresses.httpPort.map { [ledger] port in
            let endpoint = try Server.endpoint(tcp, addresses)
            return try HTTPService(endpoint.withPort(port)) { request, _ in
                Metrics(ledger: ledger).answer(request.path)
            }
        }
        hangUp = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "echo-server.reload"))
        hangUp.setEventHandler { writeErrorLine("EchoServer: SIGHUP: \(security.reload())") }
    }

    private static func listen(
        _ addresses: AddressOptions, _ options: ListenerOptions
    ) throws -> Listener {
        let inherited = try InheritedSocket.all(unsetsVariables: true)
        if !inherited.isEmpty { return try Listener(adopting: inherited, options: options) }
        return try ListeningAddress.first(host: addresses.host, port: addresses.port) {
            try Listener($0, options: options)
        }
    }

    /// An inherited socket may be a Unix socket, which has no port.
    private static func endpoint(_ tcp: Listener, _ addresses: AddressOptions) throws -> Endpoint {
        try tcp.endpoints.first { $0.ipAddress != nil }
            ?? ListeningAddress.first(host: addresses.host, port: addresses.port) { $0 }
    }

    func activate() {
        hangUp.activate()
        let service = StreamService(mode: mode, ends: ledger.ends)
        for listener in ledger.listeners {
            listener.setConnectionHandler { service.serve($0) }
            let failures = RepeatedErrorLine()
            listener.setErrorHandler { _, error in failures.write("EchoServer: \(error)") }
            listener.activate()
        }
        if let udp { DatagramService(mode: mode).serve(on: udp) }
        http?.activate()
    }

    /// One line per address. Scripts wait for the first one, which begins with "listening".
    var announcements: [String] {
        var lines = tcp.endpoints.map { "listening on \($0)" }
        if let endpoint = udp?.localEndpoint { lines.append("also on udp://\(endpoint)") }
        if let unix { lines.append("also on \(unix.endpoint)") }
        if let http { lines.append("metrics on http://\(http.endpoint)/metrics") }
        return lines
    }

    /// Stops accepting, sends the queued data, and resets clients that have not received it within
    /// `span`. Blocks until all are closed, so it must not run on a queue.
    /// - Returns: the summary.
    func stop(within span: TimeSpan) -> String {
        hangUp.cancel()
        let deadline = DispatchTime.now() + span.interval
        http?.shutdown(deadline: .now())
        let reports = Locked<[ShutdownReport]>([])
        let ended = DispatchGroup()
        if let udp {
            ended.enter()
            udp.setCloseHandler { _, _ in ended.leave() }
            udp.close()
        }
        for listener in ledger.listeners {
            ended.enter()
            listener.shutdown(deadline: deadline) { report in
                reports.withLock { $0.append(report) }
                ended.leave()
            }
        }
        ended.wait()
        return ledger.summary(reports.withLock { $0 })
    }
}
