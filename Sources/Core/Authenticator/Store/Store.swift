package import EventLoop
internal import ControlAPI
internal import Glibc
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import SQLite

/// The state of the daemon: one database file, with secrets sealed in it.
///
/// A file that cannot be opened does not keep the daemon from running: each use tries again and says why not.
@EventLoop
package final class Store {
  private let directory: String
  private let credential: String
  private let lock: StateLock
  private var opened: Database?
  private var keyEncryptionKey: KeyEncryptionKey?
  private var cache = Cache()
  private var depth = 0
  /// What the rows of owners take at most.
  var usedBytes: [uid_t: Int] = [:]
  private var waitingForCommit: [@EventLoop () -> Void] = []

  /// Takes the directory for this process; the database is opened at its first use.
  package init(directory: String, credential: String) throws(StateLock.Failure) {
    lock = try StateLock(directory: directory)
    (self.directory, self.credential) = (directory, credential)
  }

  var database: Database {
    get throws {
      if let opened { return opened }
      let database = try Self.open(directory + "/mfad.db")
      opened = database
      return database
    }
  }

  private static func open(_ path: String) throws -> Database {
    // SQLite makes its files with the process's mask.
    let mask = umask(0o077)
    defer { umask(mask) }
    let database = try Database(path: path)
    try database.migrate(Migrations.all)
    return database
  }

  /// Does all or nothing; what it did is on the disk when it returns, and only then is anybody told of it.
  func transaction<R>(_ body: (Database) throws -> R) throws -> R {
    let database = try database
    depth += 1
    defer { depth -= 1 }
    do {
      let result = try database.transaction { try body(database) }
      if depth == 1 { tellWhatIsCommitted() }
      return result
    } catch {
      if depth == 1 {
        waitingForCommit = []
        // What was read meanwhile is undone too, and the count of changes does not tell.
        cache = Cache()
      }
      throw error
    }
  }

  /// Does something once what the transaction under way did is on the disk; at once when there is none.
  func whenCommitted(_ action: @escaping @EventLoop () -> Void) {
    guard depth > 0 else { return action() }
    waitingForCommit.append(action)
  }

  private func tellWhatIsCommitted() {
    let actions = waitingForCommit
    waitingForCommit = []
    for action in actions { action() }
  }

  /// What was read lately, so that a passcode or a status needs neither the disk nor a cipher.
  struct Cache {
    fileprivate var changeCount: Int64 = -1
    var accounts: [uid_t: [AccountRecord]] = [:]
    var activeCounts: [uid_t: Int] = [:]
    var pendingCounts: [uid_t: Int] = [:]
  }

  /// What was read for an owner; it is read again once anything at all was written.
  func cached<Value>(
    _ field: WritableKeyPath<Cache, [uid_t: Value]>,
    _ owner: uid_t,
    read: (Database) throws -> Value
  ) throws -> Value {
    let database = try database
    if cache.changeCount != database.changeCount { cache = Cache(changeCount: database.changeCount) }
    if let known = cache[keyPath: field][owner] { return known }
    let value = try read(database)
    cache[keyPath: field][owner] = value
    return value
  }

  /// What keeps the key-encryption key: credential, key-file or unavailable.
  package var sealing: String { (try? loadedKey().source.rawValue) ?? "unavailable" }

  /// A new data key with its wrapped form for the row.
  func makeDataKey(at place: Place) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    return (key, try key.wrapped(by: loadedKey().key, at: place))
  }

  /// The data key of a row.
  func dataKey(unwrapping wrapped: [UInt8], at place: Place) throws -> DataKey {
    try DataKey(unwrapping: wrapped, with: loadedKey().key, at: place)
  }

  private func loadedKey() throws -> KeyEncryptionKey {
    if let keyEncryptionKey { return keyEncryptionKey }
    let database = try database
    let proof = try database.row("SELECT value FROM meta WHERE name = 'key_proof'") { $0.blob(0) }
    do {
      let key = try KeyEncryptionKey.load(
        credential: credential,
        stateDirectory: directory,
        mayCreate: proof == nil
      )
      if let proof {
        _ = try DataKey.open(proof, with: key.key, at: Self.proofPlace)
      } else {
        let proof = try DataKey.seal([], with: key.key, at: Self.proofPlace)
        try database.run("INSERT INTO meta VALUES ('key_proof', ?)", .blob(proof))
      }
      keyEncryptionKey = key
      return key
    } catch {
      Journal.error("the key-encryption key cannot be had", ["reason": "\(error)"])
      throw RPCError.keyUnavailable
    }
  }

  /// What a row says, or nothing if a value sealed in it does not open; any other failure is not the row's.
  func unlessDamaged<R>(_ table: StaticString, of owner: uid_t, _ read: () throws -> R) throws -> R? {
    do { return try read() } catch let error as RPCError { throw error } catch let error as SQLiteError {
      throw error
    } catch {
      Journal.error("a sealed value does not open", ["table": table, "uid": owner])
      return nil
    }
  }

  private static let proofPlace = Place(table: "meta", row: "key_proof", owner: 0, column: "value")

  /// How large the database file is, in bytes.
  package var databaseSize: Int {
    var status = stat()
    return stat(directory + "/mfad.db", &status) == 0 ? Int(status.st_size) : 0
  }
}
