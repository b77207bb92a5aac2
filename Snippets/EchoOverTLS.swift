// A server and a client over TLS. Run it where chain.pem, key.pem and authority.pem are.
// snippet.hide
#if TLS
// snippet.show
import RingDispatch
import RingNetwork
import RingTLS

var options = ListenerOptions()
options.tls = try TLSContextStore(
    .server(identity: TLSIdentity(certificateFile: "chain.pem", keyFile: "key.pem")))
let listener = try Listener(Endpoint("127.0.0.1:0"), options: options)
let endpoint = listener.endpoint
let server = Task {
    await listener.run { client in
        for try await bytes in client.inbound { try await client.send(bytes) }
    }
}

// A client. Without trustRoots, it trusts the system's authorities.
var configuration = TLSConfiguration.client()
configuration.trustRoots = .file("authority.pem")
var connecting = ConnectorOptions()
connecting.tls = try TLSContext(configuration)
let echo = try await Connector(options: connecting).withConnection(to: endpoint) { server in
    try await server.send("hello")
    return try await server.receive(exactly: 5)
}
print("echoed over TLS:", String(decoding: echo, as: UTF8.self))

// snippet.hide
precondition(echo == Array("hello".utf8))
server.cancel()
await server.value
#else
print("This program needs the trait TLS.")
#endif
