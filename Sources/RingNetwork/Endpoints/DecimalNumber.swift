/// Decimal numbers in endpoints: digits only, without leading zeros.
enum DecimalNumber {
    static func parse(_ text: ArraySlice<UInt8>, most: Int) -> Int? {
        guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0") else {
            return nil
        }
        var value = 0
        for byte in text {
            guard byte.isDecimalDigit else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            if value > most { return nil }
        }
        return value
    }
}
