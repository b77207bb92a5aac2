// A TCP echo server in plain GCD: each connection has one read source and one serial queue.
// It compiles unchanged against libdispatch: swift build -Xswiftc -DLIBDISPATCH
#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// Accepts clients. All methods run on the listener's queue.
final class Acceptor: @unchecked Sendable {
    private let queue = DispatchQueue(label: "gcd-echo.listener")
    private let source: any DispatchSourceRead
    private var accepted = 0

    init(listener: Int32, place: String) {
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setRegistrationHandler {
            print("listening on \(place)")
            fflush(nil)
        }
        source.setEventHandler { self.drain(listener) }
        source.activate()
    }

    private func drain(_ listener: Int32) {
        while let descriptor = acceptConnection(listener) {
            accepted += 1
            _ = Connection(descriptor: descriptor, number: accepted)  // its sources retain it
        }
        guard errno != EAGAIN else { return }
        source.suspend()  // no descriptors left: the clients wait in the backlog for a moment
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { self.source.resume() }
    }
}

let (listener, place) = listen()
let acceptor = Acceptor(listener: listener, place: place)
dispatchMain()
