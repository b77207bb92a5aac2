internal import Glibc

/// The process's environment variables.
package enum Environment {
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
