import EventLoop
import JSON
import SQLite

/// The SQLite database that a sandbox with `--data` keeps its state in.
@EventLoop
final class Archive {
  /// Why a database cannot be used.
  enum Failure: Error, CustomStringConvertible {
    case unreadable(kind: String)

    var description: String {
      switch self {
      case .unreadable(let kind): "the data file holds a \(kind) that cannot be read"
      }
    }
  }

  private let database: Database
  private var lastState: JSON?

  private static let schema: [StaticString] = [
    """
    CREATE TABLE thing (
      kind TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT
    """
  ]
  private static let stateKind = "state"

  init(path: String) throws {
    database = try Database(path: path)
    // A second sandbox on the same file would overwrite what the first one remembers.
    try database.executeScript("PRAGMA locking_mode = EXCLUSIVE")
    try database.migrate(Self.schema)
    try database.executeScript("BEGIN IMMEDIATE; COMMIT")
  }

  /// What there is one of: the environment, its keys and clock.
  func loadState() throws -> Record? {
    let kind = Self.stateKind
    let body = try database.row("SELECT body FROM thing WHERE kind = ?", .init(kind)) { $0.text(0) }
    guard let body else { return nil }
    guard let state = try? JSON(parsing: body), let members = state.object else {
      throw Failure.unreadable(kind: kind)
    }
    lastState = state
    return Record(members: members)
  }

  /// Puts everything of one kind on its shelf, oldest first.
  func load<Thing: Recorded>(_ shelf: inout Shelf<Thing>) throws {
    let sql: StaticString = "SELECT place, body FROM thing WHERE kind = ? ORDER BY place"
    var kept: [(place: Int, thing: Thing)] = []
    for (place, body) in try database.rows(sql, .init(Thing.kind), read: { ($0.int(0), $0.text(1)) }) {
      let members = try? JSON(parsing: body).object
      guard let thing = members.flatMap({ Thing(Record(members: $0)) }) else {
        throw Failure.unreadable(kind: Thing.kind)
      }
      kept.append((place, thing))
    }
    shelf.startNoting(kept: kept)
  }

  /// Does all or nothing; what it did is on the disk when it returns.
  func transaction(_ body: () throws -> Void) throws { try database.transaction(body) }

  func saveState(_ state: JSON) throws {
    guard state != lastState else { return }
    try write(Self.stateKind, Self.stateKind, 0, state)
    lastState = state
  }

  /// Writes what has changed on a shelf.
  func save<Thing: Recorded>(_ shelf: inout Shelf<Thing>) throws {
    for (id, current) in shelf.takeChanges() {
      if let (place, thing) = current {
        try write(Thing.kind, id.text, place, thing.record)
      } else {
        try database.run("DELETE FROM thing WHERE kind = ? AND id = ?", .init(Thing.kind), .init(id.text))
      }
    }
  }

  private func write(_ kind: String, _ id: String, _ place: Int, _ body: JSON) throws {
    try database.run(
      """
      INSERT INTO thing (kind, id, place, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET place = excluded.place, body = excluded.body
      """,
      .init(kind),
      .init(id),
      .init(place),
      .init(body.text)
    )
  }
}
