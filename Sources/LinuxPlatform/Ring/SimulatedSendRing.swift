#if SIMULATION
/// Stands for `SendRing` in a simulation: sends one after the other with send(2).
package final class SendRing {
    private var sends: [(descriptor: Int32, bytes: UnsafeRawBufferPointer, index: Int)] = []

    package static let capacity = 64

    package init() throws(SystemError) {}

    package func prepare(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, index: Int) {
        sends.append((descriptor, bytes, index))
    }

    package func submit(failed: (_ index: Int, _ result: Int32) -> Void) {
        for (descriptor, bytes, index) in sends {
            let result = Sockets.send(descriptor, bytes)
            if result < bytes.count { failed(index, Int32(result)) }
        }
        sends = []
    }
}
#endif
