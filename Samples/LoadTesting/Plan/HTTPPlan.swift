/// The requests to an HTTP server, and how to check the responses.
public struct HTTPPlan: Sendable {
    /// The methods of requests.
    public enum Method: String, Sendable, CaseIterable {
        /// Without a body.
        case get = "GET"
        /// Without a body in either direction.
        case head = "HEAD"
        /// With a message as the body; its size is that of ``LoadPlan/sizes``.
        case post = "POST"
    }

    /// What the body of a response must be.
    public enum Body: String, Sendable, CaseIterable {
        /// Any complete body.
        case any
        /// The body of the request.
        case echo
    }

    /// The method of all requests.
    public var method = Method.get
    /// What the bodies of all responses must be.
    public var body = Body.any
    /// Additional header lines of the request, such as `Accept: text/plain`. `Host` and
    /// `User-Agent` replace the usual ones.
    public var headers: [String] = []

    /// The defaults: `GET`, without a check of the bodies.
    public init() {}
}
