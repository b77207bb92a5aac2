// A program with an `async` main, which never calls `dispatchMain`: it ends with status 0 if the
// main queue is served with the main actor.
import Foundation

@main
@MainActor
struct AsyncMainCheck {
    static var count = 0

    static func main() async {
        DispatchQueue.global().asyncAfter(deadline: .now() + 30) {
            print("async-main-check: the main queue is not served")
            exit(1)
        }
        dispatchPrecondition(condition: .onQueue(.main))
        let rounds = 100
        let tasks = (0..<rounds).map { _ in
            Task {
                await withCheckedContinuation { continuation in
                    DispatchQueue.main.async {
                        count += 1
                        continuation.resume()
                    }
                }
                count += 1
            }
        }
        for _ in 0..<rounds {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    DispatchQueue.main.sync { MainActor.assumeIsolated { count += 1 } }
                    continuation.resume()
                }
            }
        }
        for task in tasks { await task.value }
        guard count == 3 * rounds else {
            print("async-main-check: \(count) of \(3 * rounds)")
            exit(1)
        }
    }
}
