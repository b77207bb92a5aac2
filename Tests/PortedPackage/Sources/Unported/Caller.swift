import Foundation
import Ported

/// Imports a target that uses `UseRingDispatch`. It can use the target's values, but GCD's names
/// are ambiguous here, so it must qualify them.
public enum Caller {
    public static func post(_ letter: String, to mailbox: Mailbox) {
        mailbox.post(letter)
    }

    public static var module: String { String(reflecting: Dispatch.DispatchQueue.self) }
}
