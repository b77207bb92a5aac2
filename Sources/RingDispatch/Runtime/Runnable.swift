/// An object that a work item of the kind `object` stands for, for example a source.
package class Runnable {
    /// Runs the work item, which holds a reference. Returns whether to release that.
    func run(priority: UInt8, _ context: Context) -> Bool { true }
}
