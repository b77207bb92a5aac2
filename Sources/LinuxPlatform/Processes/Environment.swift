internal import Glibc

/// The process's environment variables.
package enum Environment {
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// unsetenv(3). No other thread may use the environment at the same time.
    package static func unset(_ name: String) { unsetenv(name) }
}
