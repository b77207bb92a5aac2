// Benchmarks of DispatchIO: io-bench-X read PATH [--rounds 9]; io-bench-X files FOLDER --count N
// [--together 1]; or io-bench-X echo [--port 0], an echo server whose connections are channels.
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

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "read":
    guard let path = arguments.dropFirst().first else { fallthrough }
    FileReading(path: path).run(rounds: option("--rounds").flatMap { Int($0) } ?? 9)
case "files":
    guard let folder = arguments.dropFirst().first,
        let count = option("--count").flatMap({ Int($0) })
    else { fallthrough }
    let together = option("--together").flatMap { Int($0) } ?? 1
    ManyFiles(folder: folder, count: count, together: together).run()
case "echo":
    guard let port = UInt16(option("--port") ?? "0") else { fallthrough }
    let echo = ChannelEcho(port: port)
    print("listening on 127.0.0.1:\(echo.port)")
    fflush(nil)
    dispatchMain()
default:
    print(
        "usage: \(CommandLine.arguments[0]) read PATH [--rounds 9] | "
            + "files FOLDER --count N [--together 1] | echo [--port 0]")
    exit(2)
}
