import Glibc

/// Whether the tests run in full size, with more rounds, larger trees and longer loads:
/// RINGDISPATCH_TESTS=deep in the environment.
package let isDeep = getenv("RINGDISPATCH_TESTS").map { String(cString: $0) } == "deep"
