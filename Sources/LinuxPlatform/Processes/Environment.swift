internal import CLinux
internal import Glibc

/// The process's environment variables.
package enum Environment {
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Whether the program has more rights than the user who starts it, by set-user-ID,
    /// set-group-ID or file capabilities. AT_SECURE of getauxval(3).
    package static var isUntrusted: Bool { getauxval(UInt(AT_SECURE)) != 0 }

    /// unsetenv(3). No other thread may use the environment at the same time.
    package static func unset(_ name: String) { unsetenv(name) }
}
