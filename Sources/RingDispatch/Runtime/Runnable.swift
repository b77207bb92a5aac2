/// An object that a work item of the kind `object` stands for, for example a source.
package class Runnable {
    /// Runs the work item, and consumes the reference that it holds.
    func run(priority: UInt8, _ context: Context) {}
}
