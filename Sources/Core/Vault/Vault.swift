internal import Configuration
public import EventLoop
internal import Glibc
internal import Journal
public import SQLite

/// The state of the daemon: one database file, with secrets sealed in it.
///
/// What a turn of the loop changes is committed once, at its end, before anything of that turn leaves the process. A
/// file that cannot be opened does not keep the daemon from running: each use tries again and says why not.
@EventLoop
public final class Vault {
  /// What seals the fields of rows.
  public let sealer: Sealer
  let directory: String
  /// Whether the file is as it was written.
  public let check: FileCheck
  let path: String
  private let schema: DatabaseSchema
  private var stateLock: StateLock?
  private var opened: Database?
  private var resets: [@EventLoop () -> Void] = []
  let components = OwnedComponents()
  /// What is known of PINs, which is asked at each request.
  private(set) lazy var pins: OwnerCache<PINRecord?> = cache()
  /// What owners want to be asked for, which is too.
  private(set) lazy var requiredPresences: OwnerCache<PresenceRequirement?> = cache()
  /// What empties the log.
  private(set) lazy var log = LogEmptying { [weak self] in try self?.emptyLog() }
  private lazy var unusedPages = UnusedPages { [weak self] in self?.opened?.releaseMemory() }
  private var turn: Turn?
  /// Counts what is committed.
  weak var counter: RollbackCounter?

  /// Takes the directory for this process; the database is opened at its first use.
  public convenience init(
    directory: String,
    credential: String,
    schema: DatabaseSchema
  ) throws(StateLock.Failure) {
    try self.init(
      directory: directory,
      keys: KeyPlaces(directory: directory, credential: credential),
      schema: schema
    )
  }

  /// Takes the directory, with a key from one of these places.
  public init(directory: String, keys: KeyPlaces, schema: DatabaseSchema) throws(StateLock.Failure) {
    stateLock = try StateLock(directory: directory)
    sealer = Sealer(keys)
    (self.directory, path, self.schema) = (directory, Self.path(in: directory), schema)
    check = FileCheck(path: path)
    sealer.vault = self
  }

  /// The database, to read from; what changes it goes through `write`.
  public var database: Database {
    get throws {
      unusedPages.noteUse()
      if let opened { return opened }
      guard stateLock != nil else { throw StateLock.Failure.unusable("it was released") }
      // SQLite makes its files with the process's mask.
      let mask = umask(0o077)
      defer { umask(mask) }
      try Database.checkLog(of: path)
      let database = try Database(path: path)
      try database.prepare(schema)
      opened = database
      return database
    }
  }

  /// Where the database of a state directory lies.
  public nonisolated static func path(in directory: String) -> String { directory + "/mfad.db" }

  /// How large the database file is, in bytes.
  public var databaseSize: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  // MARK: Writing

  /// Does all or nothing; it is on the disk when the turn ends, and only then is anybody told of it.
  @discardableResult
  public func write<R>(_ body: (Database) throws -> R) throws -> R {
    let database = try database
    let turn = try self.turn ?? beginTurn(database)
    turn.add(Changes.current)
    // Of a turn that was undone nothing may come to the disk, also not what it does from here.
    if let failure = turn.failure { throw failure }
    let (count, chain) = (turn.announcements.count, turn.auditChain)
    do { return try database.savepoint { try body(database) } } catch {
      turn.announcements.removeSubrange(count...)
      turn.auditChain = chain
      forgetWhatWasRead()
      // A full disk, for one, undoes everything that the turn did before.
      if !database.isInTransaction { turn.failure = turn.failure ?? error }
      throw error
    }
  }

  /// Does something once what this turn changed is on the disk; at once when it changed nothing.
  ///
  /// It belongs to no call: whoever brings the turn onto the disk has nothing to do with it.
  public func whenCommitted(_ action: @escaping @EventLoop () -> Void) {
    guard let turn else { return Self.leavingCall(action) }
    turn.announcements.append { Self.leavingCall(action) }
  }

  /// Tells whether what this turn changed is on the disk: once it is known, or at once when it changed nothing.
  ///
  /// All who ask hear it before anything is announced.
  public func afterTurn(_ handler: @escaping @EventLoop ((any Error)?) -> Void) {
    guard let turn else { return handler(nil) }
    turn.add(Changes.current)
    turn.settlements.append(handler)
  }

  /// Whether this turn changed something that is not on the disk yet.
  public var hasUncommittedChanges: Bool { turn != nil }

  /// Waits until what this turn changed is on the disk.
  public func committed() async throws { try await commitment().value() }

  /// Whether what this turn changed so far gets onto the disk; for whoever waits for it in a later turn.
  public func commitment() -> Commitment {
    let commitment = Commitment()
    afterTurn { commitment.settle($0) }
    return commitment
  }

  /// Brings what was changed so far onto the disk without waiting for the end of the turn.
  public func commit() throws {
    guard let turn, let database = opened else { return }
    if turn.failure == nil {
      sealAuditAfterTurn()
      counter?.count()
    }
    self.turn = nil
    var failure = turn.failure
    if failure == nil {
      do { try database.commit() } catch { failure = error }
    }
    if let failure {
      database.rollBack()
      counter?.undone()
      forgetWhatWasRead()
      Journal.error("what was changed could not be stored", ["reason": "\(failure)"])
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
    // Who asked for a change hears of a failure from its settlement.
    EventLoop.beforeLeaving { [weak self] in try? self?.commit() }
    return turn
  }

  /// What a turn of the loop owes when its changes are on the disk, or are not.
  private final class Turn {
    var settlements: [@EventLoop ((any Error)?) -> Void] = []
    var announcements: [@EventLoop () -> Void] = []
    /// Why the database gave up the transaction by itself.
    var failure: (any Error)?
    /// Whether what it writes over is to be gone before anybody hears of it.
    var emptiesLog = false
    /// The chain of the audit that was recorded in last; it is sealed before the turn is committed.
    var auditChain: OpenAuditChain?
    /// Whose changes these are.
    private(set) var changes: [Changes] = []

    func add(_ new: Changes?) {
      if let new, !changes.contains(where: { $0 === new }) { changes.append(new) }
    }
  }

  /// Has what this turn writes over gone from the log before anybody hears of the turn, unless that cannot be.
  func emptyLogAfterTurn() { turn?.emptiesLog = true }

  /// A chain of the audit that this turn has changed and not sealed yet.
  ///
  /// It is as it will be: nobody else writes before the turn ends.
  var unsealedAuditChain: OpenAuditChain? {
    get { turn?.auditChain }
    set { turn?.auditChain = newValue }
  }

  // MARK: Reading

  /// Memory of what was read, which is forgotten when a change is undone.
  public func cache<Value>() -> OwnerCache<Value> {
    let cache = OwnerCache<Value>()
    resets.append { cache.forgetAll() }
    return cache
  }

  /// Calls a handler when a change is undone, so that what was kept of it is forgotten.
  public func whenUndone(_ handler: @escaping @EventLoop () -> Void) { resets.append(handler) }

  /// Lets everything be read again.
  func forgetWhatWasRead() {
    sealer.forgetKeys()
    for reset in resets { reset() }
  }

  /// Lets the file go; the directory is still held.
  public func forgetDatabase() { opened = nil }

  /// Closes the database and releases the lock, as the end of the process would; only tests call this.
  public func release() { (opened, stateLock, turn) = (nil, nil, nil) }

  /// Leaves nothing of what was written over in the log, where SQLite keeps what was there before.
  public func emptyLog() throws {
    try commit()
    try database.truncateLog()
  }
}
