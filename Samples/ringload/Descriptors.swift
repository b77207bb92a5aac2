import Glibc
import SampleSupport

/// Raises the soft descriptor limit to the hard one, and throws if that is too low.
func ensureDescriptors(forConnections connections: Int, loops: Int) throws {
    /// Standard streams, the runtime's rings and eventfds, the report's files.
    let others = 64 + 4 * loops
    let needed = UInt(connections + others)
    DescriptorLimit.raise()
    guard DescriptorLimit.current < needed else { return }
    throw Failure(
        "\(connections) connections need \(needed) descriptors, and the limit is "
            + "\(DescriptorLimit.current): raise it (ulimit -n \(needed), as root), "
            + "or use fewer --connections")
}
