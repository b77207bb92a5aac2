extension Int {
    /// Digits and nothing else: `Int(_:radix:)` accepts a sign as well.
    init?(digits: some Collection<UInt8>, radix: Int = 10) {
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.first.map(HTTPHead.isLetterOrDigit) ?? false else { return nil }
        self.init(text, radix: radix)
    }
}
