/// Decimal numbers in endpoints: digits only, without leading zeros.
enum DecimalNumber {
    static func parse(_ text: ArraySlice<UInt8>, most: Int) -> Int? {
        guard text.allSatisfy(\.isDecimalDigit), text.count == 1 || text.first != UInt8(ascii: "0"),
            let value = Int(String(decoding: text, as: UTF8.self)), value <= most
        else { return nil }
        return value
    }
}
