/// The operations that queues, sources and `DispatchIO` share: activate, suspend, resume, set the
/// target. They do nothing to groups and semaphores. `dispatch_object_t`.
public class DispatchObject {
    init() {}

    /// Activates an object that was created inactive; does nothing to an active one.
    /// `dispatch_activate`.
    public func activate() {}

    /// Keeps further handlers or items from starting; a running one continues. Suspensions nest.
    /// Does nothing to the main queue and the global ones. `dispatch_suspend`.
    public func suspend() {}

    /// Undoes one suspension. More resumes than suspends end the process, except that a resume
    /// activates an inactive source. Does nothing to the main queue and the global ones.
    /// `dispatch_resume`.
    public func resume() {}

    /// Sets the queue on which the object's work runs. Call it before the object is activated:
    /// later, it ends the process. `DispatchIO` allows it at any time. Does nothing to the main
    /// queue and the global ones. `dispatch_set_target_queue`.
    public func setTarget(queue: DispatchQueue?) {}

    /// An item that was submitted with this group has run.
    func itemHasRun() { fatalError("overridden") }
}

extension DispatchObject: Hashable {
    /// Dispatch objects are equal if they are identical.
    public static func == (lhs: DispatchObject, rhs: DispatchObject) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
