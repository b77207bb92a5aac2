import RingDispatch
import RingNetwork
import SampleSupport

/// Reports once that descriptors or memory are short. The summary counts the refused clients.
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
