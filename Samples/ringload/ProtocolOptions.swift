import ArgumentParser
import LoadTesting

#if TLS
import RingTLS
#endif

/// Options of targets of some protocols.
struct ProtocolOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "tcp://, tls://, unix: send this line; each has to be answered with one line.",
            valueName: "text"))
    var lines: String?

    @Option(help: "http://: get, head, or post with messages of --size as bodies.")
    var httpMethod = "get"

    @Option(help: "http://: the expected bodies: any, or echo (the posted body).")
    var httpBody = "any"

    @Option(help: "http://: an additional header line, NAME: VALUE. May be repeated.")
    var header: [String] = []

    @Option(help: "resp://: ping, get, set, or a mix with weights: get:90,set:10.")
    var commands = "ping"

    @Option(help: "resp://: number of keys for get and set.")
    var keys: UInt64 = 10_000

    @Option(help: "tls://, https://: trusted certificates, a PEM file (default: the system's).")
    var ca: String?

    @Option(help: "tls://, https://: the name in the server's certificate (default: the host).")
    var serverName: String?

    @Flag(help: "tls://, https://: accept any certificate.")
    var insecure = false

    func apply(to plan: inout LoadPlan) throws {
        guard let method = HTTPPlan.Method(rawValue: httpMethod.uppercased()) else {
            throw ValidationError("--http-method \(httpMethod): must be get, head or post")
        }
        guard let body = HTTPPlan.Body(rawValue: httpBody) else {
            throw ValidationError("--http-body \(httpBody): must be any or echo")
        }
        plan.line = lines
        if let lines { plan.sizes = try MessageSizes(bytes: lines.utf8.count + 1) }
        plan.http.method = method
        plan.http.body = body
        plan.http.headers = header
        plan.resp = try RESPPlan(commands)
        guard keys > 0 else { throw ValidationError("--keys 0: must be 1 key or more") }
        plan.resp.keys = keys
        #if TLS
        if let ca { plan.tls.trustRoots = .file(ca) }
        if insecure { plan.tls.verification = .none }
        plan.tlsServerName = serverName
        #endif
    }
}
