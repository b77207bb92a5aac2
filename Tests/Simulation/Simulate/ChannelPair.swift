internal import CSimulation
internal import Glibc

/// A pipe or a pair of sockets. One end stops all its channels at last. Those of the other end may
/// wait until their peer is closed.
final class ChannelPair {
    let ends: [ChannelEnd]
    private let streams: [ByteStream]

    init() {
        let isPipe = oneIn(3)
        var numbers: [Int32] = [-1, -1]
        let code =
            isPipe ? pipe(&numbers) : socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers)
        require(code == 0, "no pair")
        let forth = ByteStream()
        let back = isPipe ? nil : ByteStream()
        streams = [forth, back].compactMap { $0 }
        let stopsFirst = oneIn(2)
        let (first, second) = (
            ChannelEnd(numbers[0], input: forth, output: back, stops: stopsFirst),
            ChannelEnd(numbers[1], input: back, output: forth, stops: !stopsFirst)
        )
        first.peer = second
        second.peer = first
        ends = [first, second]
    }

    func check() { for stream in streams { stream.check() } }
}
