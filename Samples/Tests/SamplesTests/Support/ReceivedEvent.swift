import Foundation

/// An event as a client receives it, parsed by Foundation instead of the server's JSON code.
struct ReceivedEvent {
    let fields: [String: Any]

    init(_ text: String) throws { fields = try jsonObject(text) }

    var sequence: Int { (fields["sequence"] as? NSNumber)?.intValue ?? -1 }
    var event: String { fields["event"] as? String ?? "" }
    var path: String { fields["path"] as? String ?? "" }
    var from: String? { fields["from"] as? String }
    var kind: String { fields["kind"] as? String ?? "" }
    var seconds: Double { (fields["time"] as? NSNumber)?.doubleValue ?? 0 }
    var error: String? { fields["error"] as? String }
    var pathBytes: [UInt8]? {
        (fields["pathBytes"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
