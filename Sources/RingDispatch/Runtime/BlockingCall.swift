/// For the library's own handlers that call something that blocks.
package enum BlockingCall {
    /// Says that the calling handler blocks from here on, probably until its end: somebody else
    /// serves its loop at once, and not only after the monitor has noticed.
    package static func begin() {
        Blocking.handOffLoop(Context.current)
    }
}
