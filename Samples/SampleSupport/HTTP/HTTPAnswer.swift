/// A handler's answer to a request.
package enum HTTPAnswer {
    case response(HTTPResponse)
    /// The handler has sent, or will send, the answer itself, and closes the connection.
    case takenOver
}
