internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import PingOne
internal import Time
internal import Usage
internal import Vault

// What the state is looked at for, and the clock that it is judged by.

extension Service {
  /// As long as a passcode is valid: a clock that is further off makes wrong ones.
  private static let mostOffset = 30
  private static let oldBackup = Duration.seconds(30 * 86_400)

  @EventLoop
  func clockCheck(_ offset: Int?) -> Check {
    if let offset, abs(offset) > Self.mostOffset {
      return Check(
        .clock,
        failing: .clockSkew(behind: offset, "those of the servers, so passcodes are wrong")
      )
    }
    guard offset == nil else { return Check(.clock, .pass, "it agrees with those of the servers") }
    return switch clock.isSynchronized(at: time.uptime()) {
    case true?: Check(.clock, .pass, "it is kept right")
    case false?:
      Check(
        .clock,
        .warning,
        "nothing keeps it right",
        cause: "not-synchronized",
        remedy: RPCError.clockSkew.because(.clockSkew).hint
      )
    case nil: Check(.clock, .skipped, "whether it is right cannot be told")
    }
  }

  @EventLoop
  func pushCheck(for owner: uid_t) -> Check {
    let tests: [PushTestReport.Test]
    do { tests = try pingOne.pushTests.standing(of: owner) } catch {
      let error = RPCError(naming: error)
      let isNobody = [RPCError.notConfigured.code, RPCError.notPaired.code].contains(error.code)
      return isNobody
        ? Check(.pushes, .skipped, "nobody is paired, so none can come") : Check(.pushes, failing: error)
    }
    guard let worst = tests.max(by: { $0.result.choice ?? .pass < $1.result.choice ?? .pass }),
      worst.result != .pass
    else { return Check(.pushes, .pass, "they can come to this machine") }
    return Check(
      .pushes,
      worst.result == .fail ? .fail : .warning,
      "it is not so that \(worst.description)" + (worst.info.map { ": \($0)" } ?? ""),
      cause: worst.name.name,
      remedy: "\"authctl push on\" allows them, and \"authctl test-push\" lets one come"
    )
  }

  @EventLoop
  func databaseCheck(_ damagedPages: Result<Int, RPCError>, for owner: uid_t) -> Check {
    let newest = owner == 0 ? backups.directory.newest : nil
    let restoring = "\"mfad --restore \(newest ?? "FILE")\", while the service is stopped, puts a backup back"
    switch damagedPages {
    case .success(0): return Check(.database, .pass, "it is as it was written, and can be written")
    case .success(let count):
      return Check(
        .database,
        .fail,
        "\(owner == 0 ? "\(count) pages" : "pages") of it are not as they were written",
        cause: ErrorCause.corrupt.rawValue,
        remedy: restoring
      )
    case .failure(let error):
      let isDamaged = error.cause == ErrorCause.corrupt.rawValue
      return Check(.database, failing: isDamaged ? error.advising(restoring) : error)
    }
  }

  @EventLoop
  var rollbackCheck: Check {
    if let noticed = rollback.noticedAt {
      return Check(
        .rollback,
        .warning,
        "the state is an older copy of itself since \(noticed.text)",
        cause: "rolled-back",
        remedy: "\"authctl audit\" and \"authctl accounts\" show what is lost; it may be somebody's purpose"
      )
    }
    guard !rollback.hasFailed else {
      return Check(
        .rollback,
        .warning,
        "it would not be noticed if the state were an older copy of itself",
        cause: "not-kept",
        remedy: "the daemon's journal says why: \"journalctl -u mfad\""
      )
    }
    return rollback.isKept
      ? Check(.rollback, .pass, "the state is the newest that there was")
      : Check(.rollback, .skipped, "nothing was sealed yet of which there could be an older copy")
  }

  @EventLoop
  func backupCheck(for owner: uid_t) -> Check {
    let remedy = "\"sudo authctl backup create\" makes one"
    if let failing = backups.newestThatFails() {
      let place = owner == 0 ? " (\(failing))" : ""
      return Check(.backup, .warning, "the newest does not open\(place)", cause: "damaged", remedy: remedy)
    }
    guard let newest = backups.directory.all().first else {
      return Check(.backup, .warning, "there is none", cause: "none", remedy: remedy)
    }
    let place = owner == 0 ? " (\(newest.file))" : ""
    let words = "the newest is of \(newest.createdAt.text)\(place)"
    let isOld = time.now().seconds(since: newest.createdAt) > Self.oldBackup.wholeSeconds
    return isOld
      ? Check(.backup, .warning, words, cause: "old", remedy: remedy) : Check(.backup, .pass, words)
  }

  /// Whoever installs another version leaves the old one running, until somebody starts it again.
  @EventLoop
  var versionCheck: Check {
    let version = "mfad \(Version.text)"
    guard ProcessFigures.hasReplacedProgram else { return Check(.version, .pass, version) }
    return Check(
      .version,
      .warning,
      "\(version) runs, and another was installed since",
      cause: "replaced",
      remedy: "\"sudo systemctl restart mfad\" starts what is installed"
    )
  }
}
