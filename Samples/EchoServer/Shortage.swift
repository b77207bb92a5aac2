import RingDispatch
import RingNetwork
import SampleSupport

/// Reports once that clients are refused for lack of descriptors or memory. The summary counts
/// them.
enum Shortage {
    private static let once = DispatchOnce()

    static func report(_ error: ListenerError) {
        once.perform {
            writeErrorLine(
                "EchoServer: cannot accept (\(error.cause)): pausing and refusing clients until "
                + "others leave. Remedy: raise ulimit -n above \(DescriptorLimit.current) "
                + "before the start")
        }
    }
}
