import Foundation

extension Folder {
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    /// A JSON file's top-level object.
    func object(named name: String) throws -> [String: Any] {
        try jsonObject(String(contentsOfFile: self(name), encoding: .utf8))
    }
}
