import EventLoop
import FoundationEssentials
import SQLite

/// The SQLite database that stores the state of a sandbox with `--data`.
@EventLoop
final class Archive {
  struct Unreadable: Error, CustomStringConvertible {
    let kind: String

    var description: String { "the data file holds a \(kind) that cannot be read" }
  }

  struct Unusable: Error, CustomStringConvertible {
    let path: String
    let cause: any Error

    var description: String { "\(path) cannot be used: \(cause)" }
  }

  private let database: Database
  private var lastSeed: String?
  private let encoder = JSONEncoder()
  /// True if the first transaction must delete the previous content of the file.
  private var isFresh: Bool

  private static let schema = DatabaseSchema(
    version: 1,
    [
      """
      CREATE TABLE thing (
        kind TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (kind, id)
      ) STRICT
      """
    ]
  )

  init(path: String, isFresh: Bool) throws {
    self.isFresh = isFresh
    encoder.outputFormatting = .sortedKeys
    do { database = try Self.open(path) } catch { throw Unusable(path: path, cause: error) }
  }

  private static func open(_ path: String) throws -> Database {
    let database = try Database(path: path)
    // Lock the file, since a second sandbox that uses it would overwrite the state of this one.
    try database.executeScript("PRAGMA locking_mode = EXCLUSIVE")
    try database.prepare(schema)
    try database.executeScript("BEGIN IMMEDIATE; COMMIT")
    return database
  }

  /// Returns the singletons of the state: the environment, its keys and its clock.
  func loadSeed() throws -> Seed? {
    lastSeed = try bodies(of: Seed.self).first?.body
    return try lastSeed.map { try decode(Seed.self, from: $0) }
  }

  func load<Thing: Stored & Codable>(_ shelf: inout RecordStore<Thing>) throws {
    shelf.startNoting(
      kept: try bodies(of: Thing.self).map { ($0.place, try decode(Thing.self, from: $0.body)) }
    )
  }

  /// Runs `body` in one transaction; when this method returns, the changes are on the disk.
  func transaction(_ body: () throws -> Void) throws {
    try database.transaction {
      if isFresh { try database.executeScript("DELETE FROM thing") }
      try body()
    }
    isFresh = false
  }

  func save(_ seed: Seed) throws {
    let body = try encode(seed)
    guard body != lastSeed else { return }
    try write("\(Seed.self)", "", 0, body)
    lastSeed = body
  }

  func save<Thing: Stored & Codable>(_ shelf: inout RecordStore<Thing>) throws {
    let kind = "\(Thing.self)"
    for (id, current) in shelf.takeChanges() {
      if let (place, thing) = current {
        try write(kind, id.text, place, try encode(thing))
      } else {
        try database.run("DELETE FROM thing WHERE kind = ? AND id = ?", .init(kind), .init(id.text))
      }
    }
  }

  private func bodies(of kind: any Decodable.Type) throws -> [(place: Int, body: String)] {
    guard !isFresh else { return [] }
    return try database.rows(
      "SELECT place, body FROM thing WHERE kind = ? ORDER BY place",
      .init("\(kind)"),
      read: { ($0.int(0), $0.text(1)) }
    )
  }

  private func write(_ kind: String, _ id: String, _ place: Int, _ body: String) throws {
    try database.run(
      """
      INSERT INTO thing (kind, id, place, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET place = excluded.place, body = excluded.body
      """,
      .init(kind),
      .init(id),
      .init(place),
      .init(body)
    )
  }

  private func encode(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, from body: String) throws -> Value {
    do { return try JSONDecoder().decode(type, from: Data(body.utf8)) } catch {
      throw Unreadable(kind: "\(type)")
    }
  }
}

@EventLoop
private struct PersistentRecordStore {
  let load: @EventLoop (Tenant, Archive) throws -> Void
  let save: @EventLoop (Tenant, Archive) throws -> Void

  init<Thing: Stored & Codable>(_ path: ReferenceWritableKeyPath<Tenant, RecordStore<Thing>>) {
    load = { tenant, archive in try archive.load(&tenant[keyPath: path]) }
    save = { tenant, archive in try archive.save(&tenant[keyPath: path]) }
  }
}

extension Tenant {
  private static let shelves = [
    PersistentRecordStore(\.signOnPolicies.others),
    PersistentRecordStore(\.users), PersistentRecordStore(\.pairingKeys),
    PersistentRecordStore(\.trustedDevices),
    PersistentRecordStore(\.devices), PersistentRecordStore(\.notifications.shelf),
    PersistentRecordStore(\.authentications),
    PersistentRecordStore(\.authenticationCodes), PersistentRecordStore(\.receivedLogs),
    PersistentRecordStore(\.factors),
    PersistentRecordStore(\.replays.used), PersistentRecordStore(\.sessions),
    PersistentRecordStore(\.families), PersistentRecordStore(\.accessTokens),
    PersistentRecordStore(\.refreshTokens),
  ]

  func restore(from archive: Archive) throws {
    for shelf in Self.shelves { try shelf.load(self, archive) }
    notifications.findPending()
  }

  /// Writes the changes since the last call to the disk.
  func save(to archive: Archive) throws {
    var kept = seed
    kept.signOnPolicy = signOnPolicies.standard
    (kept.lead, kept.notifications) = (clock.lead, notifications)
    (kept.otherSignOnPolicies, kept.users) = ([], [])
    try archive.transaction {
      try archive.save(kept)
      for shelf in Self.shelves { try shelf.save(self, archive) }
    }
  }
}
