/// ln(x), without the C library.
enum NaturalLogarithm {
    private static let ofTwo = 0.693147180559945309417232121458

    /// - Parameter value: above 0 and finite.
    static func of(_ value: Double) -> Double {
        // value = significand * 2^exponent, with the significand from 1 to 2.
        let significand = value.significand
        // ln(m) = 2 artanh(t), t = (m - 1) / (m + 1), at most 1/3.
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        var sum = 0.0
        var power = ratio
        for odd in stride(from: 1.0, through: 31.0, by: 2.0) {
            sum += power / odd
            power *= square
        }
        return 2 * sum + Double(value.exponent) * ofTwo
    }
}
