internal import ControlAPI
public import EventLoop
internal import Glibc
internal import Journal
public import Time

/// Detects a rolled-back state with a counter of its changes that is also stored outside the state directory.
///
/// Each commit increments the counter in the database, if the key is available. The file is written after the
/// commit. A database with a lower counter than the file is therefore an older copy.
@EventLoop
public final class RollbackCounter {
  private let vault: Vault
  private let audit: Audit
  private let path: String
  private var row: RollbackRow?
  /// The mark in the file.
  private var written: RollbackMark?
  /// True once the result of the comparison is on the disk.
  ///
  /// Until then the file is left unchanged and compared again.
  private var isCompared = false
  /// True if a key was available since the start.
  ///
  /// The sealer drops the key after a rolled-back loop iteration, but commits are still counted.
  private var hadKey = false
  /// True if the last required write of the file failed.
  public private(set) var hasFailed = false
  /// True once a gap in the audit was reported; reported once per start.
  private var hasReportedGap = false
  /// The time of the last detected rollback; nil if the audit has no entry about one.
  public private(set) var noticedAt: Timestamp?

  /// The kind of a detected problem, which is also the target of the audit entry.
  private enum Finding: String {
    /// The file has a higher count than the database, or another epoch.
    case older
    /// The file or the row is missing, although one was written.
    case missing
    /// The file or the row has no valid seal of this state's key.
    case foreign
    /// The audit has fewer entries than were sealed.
    case incomplete
  }

  static let noticing = AutomaticAction("noticeRollback")

  public init(vault: Vault, audit: Audit) {
    (self.vault, self.audit) = (vault, audit)
    path = Self.path(of: vault.directory)
    vault.counter = self
  }

  /// Returns the directory of the file.
  ///
  /// It is next to the state directory, so that restoring one does not restore the other.
  public nonisolated static func directory(of state: String) -> String {
    var state = state[...]
    while state.count > 1, state.hasSuffix("/") { state.removeLast() }
    return "\(state)-rollback"
  }

  nonisolated static func path(of state: String) -> String { directory(of: state) + "/counter" }

  /// Creates the directory with mode 0700, if possible.
  public nonisolated static func makeDirectory(of state: String) {
    let path = directory(of: state)
    if mkdir(path, 0o700) == 0 { AtomicFile.syncDirectory(of: path) }
  }

  /// True if the file has been read or written and the last write succeeded.
  public var isKept: Bool { written != nil && !hasFailed }

  /// Compares the state with the file.
  ///
  /// Without the key, the seals of both cannot be verified. The first commit with the key then does the
  /// comparison.
  public func start() {
    do {
      noticedAt = try vault.lastAudit(Self.noticing)
      guard try vault.meta(.proof) != nil else { return }
      _ = try vault.sealer.wrappingKey()
      hadKey = true
      row = try compared()
      try vault.lock?.tries.settle()
      try vault.commit()
      committed()
    } catch { tell("the state could not be checked for a rollback", error) }
  }

  // MARK: Counting

  /// Increments the counter, in the transaction of a commit.
  func count() {
    do {
      // A rollback of a state without secrets gains an attacker nothing.
      guard try vault.sealer.hasKey || hadKey && vault.meta(.proof) != nil else { return }
      hadKey = true
      var counted = try row ?? compared()
      try count(&counted.mark)
      if written?.epoch == counted.mark.epoch { counted.replaced = nil }
      try vault.write { _ in try vault.setRollbackRow(counted) }
      row = counted
    } catch { tell("a change could not be counted", error) }
  }

  private func count(_ mark: inout RollbackMark) throws {
    mark.count += 1
    guard let head = try audit.verifier.head() else { return }
    // A lower number never replaces the sealed one: entries would then be missing unnoticed.
    if head < mark.auditHead, !hasReportedGap {
      try notice(.incomplete)
      vault.whenCommitted { [weak self] in self?.hasReportedGap = true }
    }
    mark.auditHead = max(mark.auditHead, head)
  }

  /// The number of audit entries that the current row seals; nil if the row has not been read yet.
  var auditHead: Int? { row?.mark.auditHead }

  /// Forgets the counter in memory after a rollback, so that it is read from the database again.
  func undone() { row = nil }

  /// Writes the committed counter to the file.
  func committed() {
    guard let mark = row?.mark else { return }
    isCompared = true
    guard mark != written else { return }
    do {
      let line = try vault.sealer.counterLine(mark)
      // The write need not be flushed: a file that is behind the database is not a finding.
      if try !AtomicFile.overwrite(path, with: line) { try AtomicFile.write(line, to: path) }
      (written, hasFailed) = (mark, false)
    } catch { tell("the rollback counter cannot be written", error) }
  }

  /// Logs a failure, only once until the next success.
  private func tell(_ failure: StaticString, _ error: any Error) {
    if !hasFailed { Journal.warning(failure, ["reason": "\(error)"]) }
    hasFailed = true
  }

  /// Flushes the file to the disk, before the process ends.
  public func finish() {
    guard let written else { return }
    try? AtomicFile.write(vault.sealer.counterLine(written), to: path)
  }

  // MARK: Comparing

  /// Returns the stored row, after comparing it with the file.
  ///
  /// Starts a new epoch if there is no row or a problem is found.
  private func compared() throws -> RollbackRow {
    let stored = try vault.rollbackRow()
    if isCompared, let stored, let stored { return stored }
    let content = try AtomicFile.read(path, atMost: RollbackFile.maximumCount) ?? []
    let file = try vault.sealer.rollbackFile(content)
    let finding = finding(stored, file, replaced: content)
    if finding == nil, let stored, let stored {
      if case .mark(let mark) = file, mark.epoch == stored.mark.epoch { written = mark }
      return stored
    }
    let row = RollbackRow(mark: RollbackMark(epoch: try OpaqueID.make()), replaced: content)
    try vault.write { _ in
      try vault.setRollbackRow(row)
      if let finding { try notice(finding) }
    }
    return row
  }

  private func finding(_ row: RollbackRow??, _ file: RollbackFile, replaced: [UInt8]) -> Finding? {
    switch (row, file) {
    case (.some(.none), _): .foreign
    case (.none, .absent): vault.hadSecrets ? .missing : nil
    case (.some(.some(let row)), _) where row.replaced == replaced: nil
    case (_, .absent): .missing
    case (_, .foreign): .foreign
    case (.none, .mark): .older
    case (.some(.some(let row)), .mark(let mark)):
      mark.epoch == row.mark.epoch && mark.count <= row.mark.count ? nil : .older
    }
  }

  private func notice(_ finding: Finding) throws {
    try audit.enter(Self.noticing.name, target: finding.rawValue, outcome: AuditEntry.done, owner: 0)
    noticedAt = try vault.lastAudit(Self.noticing)
    Journal.warning("the state is not the latest one", ["counter": finding.rawValue])
  }
}
