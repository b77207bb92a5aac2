import Foundation
import Ported

/// Imports a target with `UseRingDispatch`. It can use what it is given; GCD's names have two
/// meanings here, so that it has to say which module's it means.
public enum Caller {
    public static func post(_ letter: String, to mailbox: Mailbox) {
        mailbox.post(letter)
    }

    public static var module: String { String(reflecting: Dispatch.DispatchQueue.self) }
}
