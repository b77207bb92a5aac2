import ArgumentParser

/// A number per second: `5000`, `50k`, `1m`.
struct Rate: ExpressibleByArgument {
    let perSecond: Double

    init?(argument: String) {
        let units: [Character: Double] = ["k": 1e3, "m": 1e6]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? argument[...] : argument.dropLast()), number > 0,
            number.isFinite
        else { return nil }
        perSecond = number * (unit ?? 1)
    }
}
