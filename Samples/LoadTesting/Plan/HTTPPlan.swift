/// The requests to an HTTP server, and the checks of its answers.
public struct HTTPPlan: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    public enum Body: String, Sendable, CaseIterable {
        /// Any body, as long as it is complete.
        case any
        /// The posted body has to come back.
        case echo
    }

    public var method = Method.get
    public var body = Body.any
    /// Further lines of the request, such as `Accept: text/plain`.
    public var headers: [String] = []

    public init() {}
}
