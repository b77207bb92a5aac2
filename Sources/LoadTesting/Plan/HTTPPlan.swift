/// What is asked of an HTTP server, and what counts as right.
public struct HTTPPlan: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    public enum Body: String, Sendable, CaseIterable {
        /// Any body, as long as it is complete.
        case any
        /// The body that was posted.
        case echo
    }

    public var method = Method.get
    public var body = Body.any
    /// Further lines of the request, such as `Accept: text/plain`.
    public var headers: [String] = []

    public init() {}
}
