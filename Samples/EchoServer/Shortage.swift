import RingDispatch
import RingNetwork
import SampleSupport

/// Says once that clients are refused for lack of descriptors or memory; the summary has their
/// number.
enum Shortage {
    private static let once = DispatchOnce()

    static func report(_ error: ListenerError) {
        once.perform {
            writeErrorLine(
                "EchoServer: cannot accept (\(error.cause)): pausing and refusing clients until "
                    + "others leave. Remedy: a higher ulimit -n than \(DescriptorLimit.current) "
                    + "before the start")
        }
    }
}
