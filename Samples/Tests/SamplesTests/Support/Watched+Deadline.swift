extension Watched {
    /// Waits until `body` returns a value; nil at the deadline. Calls it at once, and after each
    /// change.
    func wait<Result>(
        until deadline: Deadline, for body: (Value) throws -> Result?
    ) rethrows -> Result? {
        var result: Result?
        _ = try wait(seconds: (Int(deadline.millisecondsLeft) + 999) / 1000) { value in
            result = try body(value)
            return result != nil
        }
        return result
    }
}
