/// A handler's answer to a request.
package enum HTTPAnswer {
    case response(HTTPResponse)
    /// The handler sends the response itself and closes the connection.
    case takenOver
}
