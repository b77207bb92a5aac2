// An echo server in plain GCD whose first connection has a slow handler:
// blocking-echo-X [--port 0] [--block none|sleep|compute|vfork|fsync] [--file PATH]
import Glibc

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

guard let block = Block(rawValue: option("--block") ?? "none"),
    let port = UInt16(option("--port") ?? "0")
else { exitWithUsage() }
let listener = Listener(port: port, block: block)
print("listening on 127.0.0.1:\(listener.port)")
fflush(nil)
dispatchMain()
