import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Misuse of datagram sockets traps with a message that names it", .serialized)
struct DatagramMisuseTests {
    @Test("Resuming without a pause")
    func overResume() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let socket = try DatagramSocket.local()
            socket.resumeReceiving()
        }
        expectMessage(result, naming: "resumeReceiving", "127.0.0.1", "without a pause")
    }

    @Test("Sending without an endpoint")
    func unconnected() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let socket = try DatagramSocket.local()
            socket.send([1])
        }
        expectMessage(result, naming: "127.0.0.1", "not connected")
    }

    @Test("Adopting a stream socket")
    func adoptStream() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let descriptor = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            _ = DatagramSocket(adopting: descriptor)
        }
        expectMessage(result, naming: "not a datagram socket")
    }

    @Test("Empty batches, and impossible lengths")
    func options() async {
        let batch = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = try DatagramSocket.local { $0.receiveBatch = 0 }
        }
        expectMessage(batch, naming: "1 to 1024", "say 0")
        let length = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = try DatagramSocket.local { $0.maximumDatagramBytes = 100_000 }
        }
        expectMessage(length, naming: "maximumDatagramBytes", "100000")
    }
}
