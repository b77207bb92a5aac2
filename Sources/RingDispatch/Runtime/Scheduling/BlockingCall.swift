/// For handlers of the library that make a blocking call.
package enum BlockingCall {
    /// Declares that the calling handler blocks from now on, probably until it returns. Its loop is
    /// handed off at once, instead of after the monitor's next tick.
    package static func begin() {
        Blocking.handOffLoop(Context.current)
    }
}
