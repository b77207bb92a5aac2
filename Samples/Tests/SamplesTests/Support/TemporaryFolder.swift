import Foundation

/// A temporary folder for one test.
struct TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ringload-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.path
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
    }

    /// A JSON file's top-level object.
    func object(named name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Trouble("\(name) is not a JSON object")
        }
        return object
    }
}
