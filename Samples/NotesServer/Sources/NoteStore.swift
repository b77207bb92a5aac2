import Foundation
import GRDB

struct Note: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "note"
    var id: Int64?
    var text: String
    var changed: Date

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The notes. All methods block while SQLite works, and may be called from any task.
final class NoteStore: Sendable {
    private let database: DatabasePool

    init(path: String) throws {
        database = try DatabasePool(path: path)
        try database.write { database in
            try database.create(table: "note", options: .ifNotExists) { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("text", .text).notNull()
                table.column("changed", .datetime).notNull()
            }
        }
    }

    func count() throws -> Int { try database.read { try Note.fetchCount($0) } }

    /// The newest notes that contain the text. The letters A to Z match in either case.
    func notes(containing text: String, limit: Int) throws -> [Note] {
        try database.read { database in
            try Note.filter(sql: "instr(lower(text), lower(?))", arguments: [text])
                .order(Column("id").desc).limit(limit).fetchAll(database)
        }
    }

    func note(_ id: Int64) throws -> Note? { try database.read { try Note.fetchOne($0, key: id) } }

    func add(_ text: String) throws -> Note {
        try database.write { try Note(text: text, changed: Date()).inserted($0) }
    }

    /// Returns nil if there is no such note.
    func change(_ id: Int64, to text: String) throws -> Note? {
        try database.write { database in
            guard var note = try Note.fetchOne(database, key: id) else { return nil }
            (note.text, note.changed) = (text, Date())
            try note.update(database)
            return note
        }
    }

    func remove(_ id: Int64) throws -> Bool {
        try database.write { try Note.deleteOne($0, key: id) }
    }
}
