/// What follows the value in a SET.
struct SetOptions {
    enum Condition {
        case always
        /// NX: only if the key is not there.
        case isAbsent
        /// XX: only if it is.
        case isPresent
    }

    enum Failure: Error {
        case syntax
        case notAnInteger
        case invalidExpireTime
    }

    var condition = Condition.always
    /// GET: the reply is the value before.
    var returnsOldValue = false
    /// KEEPTTL.
    var keepsDeadline = false
    /// EX or PX: how long the key is to live.
    var lifeMilliseconds: Int64?

    init(_ request: Request) throws(Failure) {
        var index = 3
        while index < request.count {
            if request.matches(index, "NX"), condition != .isPresent {
                condition = .isAbsent
            } else if request.matches(index, "XX"), condition != .isAbsent {
                condition = .isPresent
            } else if request.matches(index, "GET") {
                returnsOldValue = true
            } else if request.matches(index, "KEEPTTL"), lifeMilliseconds == nil {
                keepsDeadline = true
            } else if request.matches(index, "EX") || request.matches(index, "PX"),
                lifeMilliseconds == nil, !keepsDeadline, index + 1 < request.count
            {
                let unit: Int64 = request.matches(index, "EX") ? 1000 : 1
                lifeMilliseconds = try Self.life(request[index + 1], unitMilliseconds: unit)
                index += 1
            } else {
                throw .syntax
            }
            index += 1
        }
    }

    private static func life(
        _ text: UnsafeRawBufferPointer, unitMilliseconds: Int64
    ) throws(Failure) -> Int64 {
        guard let number = Decimal.parse(text) else { throw .notAnInteger }
        let (milliseconds, isOver) = number.multipliedReportingOverflow(by: unitMilliseconds)
        guard number > 0, !isOver else { throw .invalidExpireTime }
        return milliseconds
    }
}
