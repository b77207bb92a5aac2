#if Logging
internal import LinuxPlatform
public import Logging

extension DispatchRuntime {
    /// Gives the messages of all RingDispatch's libraries to a logger, instead of standard error.
    ///
    /// Set it first in `main`, so that it also gets the line about the back end (level `info`; the
    /// others are warnings). The log handler is called on the thread that has something to say,
    /// also threads of the runtime: it must not wait for work on a queue. What ends the process is
    /// still written to standard error.
    /// - Parameter logger: nil: standard error again.
    public static func setLogger(_ logger: Logger?) {
        guard let logger else { return Diagnostics.setReceiver(nil) }
        Diagnostics.setReceiver { level, message in
            let level: Logger.Level = level == .information ? .info : .warning
            logger.log(level: level, "\(message)", source: "RingDispatch")
        }
    }
}
#endif
