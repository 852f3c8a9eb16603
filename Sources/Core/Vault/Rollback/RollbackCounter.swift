internal import ControlAPI
public import EventLoop
internal import Glibc
internal import Journal
public import Time

/// Notices that the state is an older copy of itself, by a count of its changes that is kept outside it too.
///
/// Each commit counts one; the file outside follows right after it, and never is ahead of the database. So a database
/// behind the file is not the one that was written last.
@EventLoop
public final class RollbackCounter {
  private let vault: Vault
  private let audit: Audit
  private let path: String
  private var row: RollbackRow?
  /// The mark that the file has.
  private var written: RollbackMark?
  /// Whether what came of comparing is on the disk: until then the file is left as it is, and compared again.
  private var isCompared = false
  /// Whether there was a key since the start; a turn that is undone forgets it until it is asked for again.
  private var hadKey = false
  /// Whether the file could not be written when it had to be.
  public private(set) var hasFailed = false
  /// When it was last noticed that the state is not the newest, as far as the audit goes back.
  public private(set) var noticedAt: Timestamp?

  /// What is wrong with a state, and with it the entry's target.
  private enum Finding: String {
    /// The file has seen more than the database.
    case older
    /// There was a file.
    case missing
    /// The file or the row is not what this state's key has sealed.
    case foreign
  }

  static let noticing = AutomaticAction("noticeRollback")

  public init(vault: Vault, audit: Audit) {
    (self.vault, self.audit) = (vault, audit)
    path = Self.directory(of: vault.directory) + "/counter"
    vault.counter = self
  }

  /// Where the file is: beside the state directory, so that whoever puts back the one has not put back the other.
  public nonisolated static func directory(of state: String) -> String {
    var state = state[...]
    while state.count > 1, state.hasSuffix("/") { state.removeLast() }
    return "\(state)-rollback"
  }

  /// Makes the directory, for its owner alone, where it can be made.
  public nonisolated static func makeDirectory(of state: String) {
    let path = directory(of: state)
    if mkdir(path, 0o700) == 0 { StableFile.syncDirectory(of: path) }
  }

  /// Whether the file says how far the state has come.
  public var isKept: Bool { written != nil && !hasFailed }

  /// Compares the state with the file.
  ///
  /// Without the key neither can be believed: it is done when there is one.
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
    } catch { tell("whether the state is the newest cannot be told", error) }
  }

  // MARK: Counting

  /// Counts a commit, in its transaction.
  func count() {
    do {
      // Of a state without a secret nobody has an older copy that is worth anything.
      guard try vault.sealer.hasKey || hadKey && vault.meta(.proof) != nil else { return }
      hadKey = true
      var counted = try row ?? compared()
      counted.mark.count += 1
      if let head = try audit.verifier.head() { counted.mark.auditHead = head }
      if written?.epoch == counted.mark.epoch { counted.replaced = nil }
      try vault.write { _ in try vault.setRollbackRow(counted) }
      row = counted
    } catch { tell("a change could not be counted", error) }
  }

  /// What was counted last did not come to the disk.
  func undone() { row = nil }

  /// Lets the file follow what is on the disk now.
  func committed() {
    guard let mark = row?.mark else { return }
    isCompared = true
    guard mark != written else { return }
    do {
      let line = try vault.sealer.counterLine(mark)
      // The disk may have it later: a file that is behind is no sign of anything.
      if try !StableFile.overwrite(path, with: line) { try StableFile.write(line, to: path) }
      (written, hasFailed) = (mark, false)
    } catch { tell("the rollback counter cannot be written", error) }
  }

  /// Tells of a failure, once until all is well again.
  private func tell(_ failure: StaticString, _ error: any Error) {
    if !hasFailed { Journal.warning(failure, ["reason": "\(error)"]) }
    hasFailed = true
  }

  /// Brings what the file says onto the disk, before the process ends.
  public func finish() {
    guard let written else { return }
    try? StableFile.write(vault.sealer.counterLine(written), to: path)
  }

  // MARK: Comparing

  /// The row as it is, of an epoch that has begun.
  private func compared() throws -> RollbackRow {
    let stored = try vault.rollbackRow()
    if isCompared, let stored, let stored { return stored }
    let content = try StableFile.read(path, atMost: RollbackFile.maximumCount) ?? []
    let file = try vault.sealer.rollbackFile(content)
    let finding = Self.finding(stored, file, replaced: content)
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

  private static func finding(_ row: RollbackRow??, _ file: RollbackFile, replaced: [UInt8]) -> Finding? {
    switch (row, file) {
    case (.some(.none), _): .foreign
    case (.none, .absent): nil
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
    Journal.warning("the state is not the newest that there was", ["counter": finding.rawValue])
  }
}
