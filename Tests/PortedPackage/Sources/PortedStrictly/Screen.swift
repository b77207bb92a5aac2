import Dispatch

/// State of the main actor, changed by blocks on the main queue. The compiler treats these blocks
/// as the main actor's, and checks at run time that they are on its thread.
@MainActor
public final class Screen {
    public private(set) var text = ""

    public init() {}

    public func load(completion: @escaping @MainActor () -> Void) {
        DispatchQueue.global().async {
            DispatchQueue.main.async {
                self.text = "loaded"
                completion()
            }
        }
    }
}
