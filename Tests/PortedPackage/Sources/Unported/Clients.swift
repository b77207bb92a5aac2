import Foundation
import PortedInside

/// Imports a ported target, and stays on libdispatch: `UseRingDispatchInternally` exposes no names
/// to it.
public enum Unported {
    public static var module: String { String(reflecting: DispatchQueue.self) }

    public static func count(_ tally: Tally) -> Int {
        DispatchQueue(label: "unported").sync { tally.value }
    }
}
