/// The end of a request to a ring.
package struct Completion {
    /// The token of the request.
    package let token: UInt64
    /// The number of bytes, or a descriptor; or a negated `errno`.
    package let result: Int32
}
