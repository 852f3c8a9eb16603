internal import Configuration
public import EventLoop
internal import Glibc
internal import Journal
public import SQLite

/// The state of the daemon: one database file with sealed secrets.
///
/// The changes of one loop iteration are committed together, before responses leave the process. The daemon
/// also runs if the file cannot be opened: each use of the database tries again, and throws if this fails.
@EventLoop
public final class Vault {
  /// Seals the values of rows.
  public let sealer: Sealer
  let directory: String
  /// The check of the file for damage.
  public let check: FileCheck
  let path: String
  private let schema: DatabaseSchema
  private var stateLock: StateLock?
  private var opened: (database: Database, files: StateFiles)?
  /// True if the database had sealed values when it was opened.
  private(set) var hadSecrets = false
  private var resets: [@EventLoop () -> Void] = []
  private var preparations: [@EventLoop () -> Void] = []
  let components = OwnedComponents()
  /// The cached PIN records, which each request needs.
  private(set) lazy var pins: OwnerCache<PINRecord?> = cache()
  /// The cached presence requirements, which each request needs.
  private(set) lazy var requiredPresences: OwnerCache<PresenceRequirement?> = cache()
  /// The truncation of the WAL, shared by all callers.
  private(set) lazy var log = WALTruncation { [weak self] in try self?.emptyLog() }
  private lazy var unusedPages = PageCacheRelease { [weak self] in self?.opened?.database.releaseMemory() }
  private var turn: Turn?
  /// Counts the commits, so that a rolled-back state is detected.
  weak var counter: RollbackCounter?

  /// Locks the directory for this process; the database is opened at its first use.
  public convenience init(
    directory: String,
    credential: String,
    schema: DatabaseSchema
  ) throws(StateLock.Failure) {
    try self.init(
      directory: directory,
      keys: KeyLocations(directory: directory, credential: credential),
      schema: schema
    )
  }

  /// Locks the directory; the key-encryption key is later loaded from one of these places.
  public init(directory: String, keys: KeyLocations, schema: DatabaseSchema) throws(StateLock.Failure) {
    stateLock = try StateLock(directory: directory)
    sealer = Sealer(keys)
    (self.directory, path, self.schema) = (directory, Self.path(in: directory), schema)
    check = FileCheck(path: path)
    sealer.vault = self
  }

  /// The database, for reading; changes use `write`.
  public var database: Database {
    get throws {
      unusedPages.noteUse()
      if let opened { return opened.database }
      guard stateLock != nil else { throw StateLock.Failure.unusable("it was released") }
      // SQLite creates its files with the process's umask.
      let mask = umask(0o077)
      defer { umask(mask) }
      try StateFiles.checkBeforeOpening(
        path,
        key: sealer.keyFile,
        counter: RollbackCounter.path(of: directory)
      )
      try Database.checkLog(of: path)
      let database = try openDatabase()
      hadSecrets = try Self.hasSecrets(database)
      opened = (database, try StateFiles(of: path, isReadOnly: database.isReadOnly))
      return database
    }
  }

  /// Opens the database for reading alone if its directory is not writable, so that passcodes work.
  private func openDatabase() throws -> Database {
    do {
      let database = try Database(path: path)
      // A lock that is not writable excludes no other reader, so nothing may be written.
      guard stateLock?.isReadOnly != true || database.isReadOnly else { throw SQLiteError(.readOnly) }
      try database.prepare(schema)
      return database
    } catch let error as SQLiteError where error.kind == .readOnly {
      // The WAL would need its index, which cannot be created.
      guard StateFiles.size(of: path) > 0, StateFiles.size(of: path + "-wal") == 0 else { throw error }
      let database = try Database(path: path, isImmutable: true)
      try database.prepare(schema)
      Journal.warning("the state is read-only: passcodes work, and changes are refused", ["reason": error])
      return database
    }
  }

  /// Returns the path of the database in a state directory.
  public nonisolated static func path(in directory: String) -> String { directory + "/mfad.db" }

  /// Size of the database file in bytes.
  public var databaseSize: Int { StateFiles.size(of: path) }

  // MARK: Writing

  /// Runs `body` in a savepoint, so that either all of its changes are kept or none.
  ///
  /// The changes are committed at the end of the loop iteration; clients are notified after the commit.
  @discardableResult
  public func write<R>(_ body: (Database) throws -> R) throws -> R {
    let database = try database
    let turn = try self.turn ?? beginTurn(database)
    turn.add(Changes.current)
    // After a rollback, later changes of the same loop iteration must not reach the disk either.
    if let failure = turn.failure { throw failure }
    let (count, chain) = (turn.announcements.count, turn.auditChain)
    do { return try database.savepoint { try body(database) } } catch {
      turn.announcements.removeSubrange(count...)
      turn.auditChain = chain
      invalidateCaches()
      // Some errors, such as a full disk, roll back the whole transaction.
      if !database.isInTransaction { turn.failure = turn.failure ?? error }
      throw error
    }
  }

  /// Runs an action once the changes of this loop iteration are committed, or at once if there are none.
  ///
  /// If the changes are rolled back, the action does not run. It runs detached from the current call, since
  /// another call may trigger the commit.
  public func whenCommitted(_ action: @escaping @EventLoop () -> Void) {
    guard let turn else { return Self.leavingCall(action) }
    turn.announcements.append { Self.leavingCall(action) }
  }

  /// Calls a handler after the commit of this loop iteration's changes, with the commit's error or nil.
  ///
  /// If there are no changes, calls the handler with nil at once. All handlers run before any action of
  /// `whenCommitted`.
  public func afterTurn(_ handler: @escaping @EventLoop ((any Error)?) -> Void) {
    guard let turn else { return handler(nil) }
    turn.add(Changes.current)
    turn.settlements.append(handler)
  }

  /// True if this loop iteration has changes that are not committed yet.
  public var hasUncommittedChanges: Bool { turn != nil }

  /// Waits until the changes of this loop iteration are committed.
  public func committed() async throws { try await commitment().value() }

  /// Returns the result of committing this loop iteration's changes; a later iteration can wait for it, too.
  public func commitment() -> Commitment {
    let commitment = Commitment()
    afterTurn { commitment.settle($0) }
    return commitment
  }

  /// Commits the changes that this loop iteration has made so far, without waiting for its end.
  public func commit() throws {
    guard let turn, let (database, files) = opened else { return }
    if turn.failure == nil { Self.leavingCall { for prepare in preparations { prepare() } } }
    if turn.failure == nil {
      sealAuditAfterTurn()
      counter?.count()
    }
    self.turn = nil
    var failure = turn.failure
    if failure == nil {
      do {
        try files.check()
        try database.commit()
      } catch { failure = error }
    }
    if let failure {
      database.rollBack()
      counter?.undone()
      invalidateCaches()
      Journal.error("changes could not be stored", ["reason": "\(failure)"])
    }
    if failure == nil, turn.emptiesLog { log.now() }
    if let failure { for changes in turn.changes { changes.fail(failure) } }
    for settle in turn.settlements { settle(failure) }
    if let failure { throw failure }
    counter?.committed()
    for announce in turn.announcements { announce() }
  }

  private func beginTurn(_ database: Database) throws -> Turn {
    try database.begin()
    let turn = Turn()
    self.turn = turn
    // A failed commit is reported to the handlers of `afterTurn`.
    EventLoop.beforeLeaving { [weak self] in try? self?.commit() }
    return turn
  }

  /// The callbacks and changes of a loop iteration until its commit.
  private final class Turn {
    var settlements: [@EventLoop ((any Error)?) -> Void] = []
    var announcements: [@EventLoop () -> Void] = []
    /// The error after which SQLite itself rolled back the whole transaction.
    var failure: (any Error)?
    /// True if the WAL must be truncated before clients are notified.
    var emptiesLog = false
    /// The audit chain that last received an entry; it is sealed before the commit.
    var auditChain: OpenAuditChain?
    /// The requests with changes in this iteration.
    private(set) var changes: [Changes] = []

    func add(_ new: Changes?) {
      if let new, !changes.contains(where: { $0 === new }) { changes.append(new) }
    }
  }

  /// Registers a handler that may add changes to each commit.
  func whenCommitting(_ handler: @escaping @EventLoop () -> Void) { preparations.append(handler) }

  /// Requests a truncation of the WAL after the commit of this loop iteration, before clients are notified.
  func emptyLogAfterTurn() { turn?.emptiesLog = true }

  /// The audit chain that this loop iteration has changed and not sealed yet.
  ///
  /// It stays valid until the commit, since the open transaction prevents other writers.
  var unsealedAuditChain: OpenAuditChain? {
    get { turn?.auditChain }
    set { turn?.auditChain = newValue }
  }

  // MARK: Reading

  /// Returns a new cache that is cleared when a change is rolled back.
  public func cache<Value>() -> OwnerCache<Value> {
    let cache = OwnerCache<Value>()
    resets.append { cache.forgetAll() }
    return cache
  }

  /// Registers a handler that drops cached data, for instance because a change was rolled back.
  public func whenUndone(_ handler: @escaping @EventLoop () -> Void) { resets.append(handler) }

  /// Clears all caches.
  func invalidateCaches() {
    sealer.forgetKeys()
    for reset in resets { reset() }
  }

  /// Throws `replaced` if the files of the open database are not at their paths any more.
  func checkFiles() throws { try opened?.files.check() }

  /// Closes the database, but keeps the lock on the directory.
  public func forgetDatabase() { opened = nil }

  /// Closes the database and releases the lock, as the end of the process does; only tests call this.
  public func release() { (opened, stateLock, turn) = (nil, nil, nil) }

  /// Commits and truncates the WAL, which may still contain overwritten content.
  public func emptyLog() throws {
    try commit()
    try database.truncateLog()
  }
}
