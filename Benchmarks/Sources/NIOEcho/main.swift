// A typical SwiftNIO echo server:
//   nio-echo [--port 0] [--loops 1] [--form handler|tasks] [--block NAME] [--file PATH]
// With --block, the first connection's handler blocks on each message: see Block.swift.
import Glibc
import NIOCore
import NIOPosix
import Synchronization

private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let block: Block

    init(block: Block) {
        self.block = block
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        block.run()
        context.writeAndFlush(data, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

func announce(_ server: any Channel) {
    print("listening on 127.0.0.1:\(server.localAddress?.port ?? 0)")
    fflush(nil)
}

guard let block = Block(rawValue: option("--block") ?? "none"),
    let loops = Int(option("--loops") ?? "1"), loops > 0, let port = Int(option("--port") ?? "0")
else { exitWithUsage(" [--loops 1]") }

let accepted = Atomic<Int>(0)
let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
let bootstrap = ServerBootstrap(group: group)
    .serverChannelOption(.backlog, value: SOMAXCONN)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
if option("--form") == "tasks" {
    try await echoInTasks(bootstrap, port: port)
    exit(0)
}
let server = try await bootstrap.childChannelInitializer { channel in
    let isFirst = accepted.add(1, ordering: .relaxed).oldValue == 0
    return channel.eventLoop.makeCompletedFuture {
        let handler = EchoHandler(block: isFirst ? block : .none)
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}.bind(host: "127.0.0.1", port: port).get()
announce(server)
try await server.closeFuture.get()
