/// The requests to an HTTP server, and how to check the responses.
public struct HTTPPlan: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    public enum Body: String, Sendable, CaseIterable {
        /// Any complete body.
        case any
        /// The body of the request.
        case echo
    }

    public var method = Method.get
    public var body = Body.any
    /// Additional header lines of the request, such as `Accept: text/plain`.
    public var headers: [String] = []

    public init() {}
}
