/// What the user reads on standard error before exit status 1: the cause, then the remedy.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
