import ArgumentParser

/// A rate, or two with a change between them: `50k`, `1k..50k`.
struct Rates: ExpressibleByArgument {
    let first: Double
    let last: Double

    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..") else {
            guard let rate = Rate(argument: argument) else { return nil }
            (first, last) = (rate.perSecond, rate.perSecond)
            return
        }
        guard let low = Rate(argument: String(argument[..<dots.lowerBound])),
            let high = Rate(argument: String(argument[dots.upperBound...]))
        else { return nil }
        (first, last) = (low.perSecond, high.perSecond)
    }

    var isConstant: Bool { first == last }
}
