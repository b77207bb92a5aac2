/// What is wrong with a received message, for an error line.
package struct FormatFailure: Error {
    package let words: String
}
