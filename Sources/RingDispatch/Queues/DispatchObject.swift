/// What queues and sources have in common: they can be activated, suspended and retargeted.
/// `dispatch_object_t`.
public class DispatchObject {
    init() {}

    /// Makes an object that was created inactive work. On an active one it does nothing.
    /// `dispatch_activate`.
    public func activate() { fatalError("overridden") }

    /// Stops handlers and items from starting; one that runs goes on. Suspensions nest.
    /// `dispatch_suspend`.
    public func suspend() { fatalError("overridden") }

    /// Takes one suspension back. More resumes than suspends end the process.
    /// `dispatch_resume`.
    public func resume() { fatalError("overridden") }

    /// Sets the queue that the object's work runs on, before the object is activated.
    /// `dispatch_set_target_queue`.
    public func setTarget(queue: DispatchQueue?) { fatalError("overridden") }
}

extension DispatchObject: Hashable {
    /// Dispatch objects are equal when they are the same object.
    public static func == (lhs: DispatchObject, rhs: DispatchObject) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
