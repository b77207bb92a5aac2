/// The file that makes GCD's names mean RingDispatch's types in all of a module: a module's own
/// names win over imported ones.
struct GeneratedFile {
    enum Access: String {
        /// For targets whose public signatures use the names. RingDispatch is re-exported: under
        /// `MemberImportVisibility` nothing else shows members to files that do not import it.
        case `public`
        /// Those who import the target see nothing of it.
        case `internal`
    }

    let access: Access

    var text: String {
        let parts =
            [head, typeAliases, functions] + (access == .internal ? [operators, constants] : [])
        return parts.joined(separator: "\n\n") + "\n#endif\n"
    }

    private var head: String {
        """
        // Made by the build plugin of RingDispatch: GCD's names for its types, in this module.
        #if os(Linux)
        // No such module? Add .product(name: "RingDispatch", package: "ring-dispatch") to the
        // dependencies of the target.
        \(access == .public ? "@_exported public import RingDispatch" : "import RingDispatch")
        """
    }

    private var typeAliases: String {
        DispatchNames.types.map { "\(access) typealias \($0) = RingDispatch.\($0)" }
            .joined(separator: "\n")
    }

    /// Never public: no signature needs them. Inlinable, so that the target's own inlinable
    /// functions may call them. `dispatchPrecondition` is no function: beside one the compiler
    /// would look at libdispatch's too, and find `.onQueue(.main)` ambiguous.
    private var functions: String {
        let inlinable = access == .public ? "@inlinable " : ""
        let usable = access == .public ? "@usableFromInline " : ""
        return """
            \(inlinable)internal func dispatchMain() -> Never { RingDispatch.dispatchMain() }

            \(inlinable)internal var dispatchPrecondition: DispatchPrecondition { .init() }

            \(usable)internal struct DispatchPrecondition {
                \(inlinable)internal init() {}

                \(inlinable)internal func callAsFunction(
                    condition: @autoclosure () -> DispatchPredicate,
                    file: StaticString = #file, line: UInt = #line
                ) {
                    RingDispatch.dispatchPrecondition(
                        condition: condition(), file: file, line: line)
                }
            }
            """
    }

    /// Without a re-export, files that do not import RingDispatch do not see its operators. They
    /// cannot be called here, where these hide them.
    private var operators: String {
        let forwards = ["DispatchTime", "DispatchWallTime"].map { type in
            """
            internal func + (time: \(type), interval: DispatchTimeInterval) -> \(type) {
                time.advanced(by: interval)
            }
            internal func - (time: \(type), interval: DispatchTimeInterval) -> \(type) {
                time.advanced(by: negation(of: interval))
            }
            internal func + (time: \(type), seconds: Double) -> \(type) {
                time.advanced(by: interval(seconds: seconds))
            }
            internal func - (time: \(type), seconds: Double) -> \(type) {
                time.advanced(by: interval(seconds: -seconds))
            }
            """
        }
        return (forwards + [helpers]).joined(separator: "\n\n")
    }

    private var constants: String {
        DispatchNames.constants.map { "internal let \($0) = RingDispatch.\($0)" }
            .joined(separator: "\n")
    }

    private var helpers: String {
        """
        private func interval(seconds: Double) -> DispatchTimeInterval {
            let nanoseconds = seconds * 1e9
            if nanoseconds <= -0x1p63 { return .nanoseconds(.min) }
            return .nanoseconds(nanoseconds < 0x1p63 ? Int(nanoseconds) : .max)
        }

        private func negation(of interval: DispatchTimeInterval) -> DispatchTimeInterval {
            switch interval {
            case .seconds(let count): .seconds(negation(of: count))
            case .milliseconds(let count): .milliseconds(negation(of: count))
            case .microseconds(let count): .microseconds(negation(of: count))
            case .nanoseconds(let count): .nanoseconds(negation(of: count))
            case .never: .nanoseconds(.min)
            }
        }

        private func negation(of count: Int) -> Int {
            count == .min ? .max : -count
        }
        """
    }
}
