import Dispatch
import Foundation

/// Overrides a property of a compiled library: its type stays libdispatch's.
public final class SerialOperations: OperationQueue, @unchecked Sendable {
    // Safety: it adds no state.
    public override var underlyingQueue: Dispatch.DispatchQueue? {
        get { super.underlyingQueue }
        set { super.underlyingQueue = newValue }
    }
}
