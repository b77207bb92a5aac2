/// An error line for the user: the cause, then the remedy. The program exits with status 1.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
