import Testing

/// Which of io_uring's calls fail, and how.
struct Refusal: CustomTestStringConvertible {
    var only: String?
    var error = "EPERM"

    var testDescription: String { "\(only ?? "all calls") \(error)" }

    var launcherOptions: [String] {
        (only.map { ["--only", $0] } ?? []) + ["--errno", error]
    }
}
