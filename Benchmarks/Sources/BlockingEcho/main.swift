// An echo server in plain GCD whose first connection has a slow handler:
// blocking-echo-X [--port 0] [--block none|sleep|compute]
import Glibc

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    let index = arguments.firstIndex(of: name).map { $0 + 1 }
    return index.flatMap { $0 < arguments.count ? arguments[$0] : nil }
}

guard let block = Block(rawValue: option("--block") ?? "none"),
    let port = UInt16(option("--port") ?? "0")
else {
    print("usage: \(CommandLine.arguments[0]) [--port 0] [--block none|sleep|compute]")
    exit(2)
}
let listener = Listener(port: port, block: block)
print("listening on 127.0.0.1:\(listener.port)")
fflush(nil)
dispatchMain()
