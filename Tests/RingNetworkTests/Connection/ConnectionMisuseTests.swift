import RingDispatch
import Testing

@testable import RingNetwork

@Suite("Misuse of connections traps", .serialized)
struct ConnectionMisuseTests {
    @Test("a connection on a concurrent queue")
    func concurrentQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "many.at.once", attributes: .concurrent)
            let (descriptor, _) = Wire.pair()
            _ = Connection(
                adopting: descriptor, on: ConnectionPlacement(queue: queue),
                options: ConnectionOptions())
        }
        expectMessage(result, naming: "many.at.once", "serial")
    }
}
