internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import OpenSSL
internal import PingOne
internal import Settings
internal import Time
internal import Usage
internal import Vault

extension Service {
  typealias Check = DoctorReport.Check

  /// Everything that can be looked at, as one owner may know it; root may know more.
  @EventLoop
  func examination(for owner: uid_t) async throws -> DoctorReport {
    if let problem = core.settings.problem {
      return DoctorReport(misconfiguredChecks(Misconfiguration(problem), for: owner))
    }
    let findings = try await examiner.findings()
    return DoctorReport(
      configurationChecks + [keyCheck(for: owner), memoryCheck, clockCheck(findings.clockOffset)]
        + findings.reach
        + [
          pushCheck(for: owner), databaseCheck(findings.damagedPages, for: owner), rollbackCheck,
          backupCheck(for: owner), versionCheck,
        ]
    )
  }

  /// Where the state lies is for the configuration to say, so nothing of it is looked at.
  @EventLoop
  private func misconfiguredChecks(_ found: Misconfiguration, for owner: uid_t) -> [Check] {
    let looked = [Self.check(found, for: owner), memoryCheck, clockCheck(nil), versionCheck]
    return DoctorReport.Name.allCases.map { name in
      looked.first { $0.name == name } ?? Check(name, .skipped, "the configuration cannot be used")
    }
  }

  /// Where the file lies is told to root; what is wrong in it, to everybody whom it keeps from everything.
  private static func check(_ found: Misconfiguration, for owner: uid_t) -> Check {
    let error = RPCError.misconfigured(found)
    let place = [found.line.map { "line \($0) of it" }, found.key.map { "\"\($0)\"" }].compactMap(\.self)
    let words = ([RPCError.misconfigured.message] + place).joined(separator: ", ")
    return Check(
      .configuration,
      .fail,
      owner == 0 ? error.message : words,
      cause: "misconfigured",
      remedy: error.hint.map { "\($0); then \"sudo systemctl reload mfad\"" }
    )
  }

  @EventLoop
  private var configurationChecks: [Check] {
    let missing = ConfigurationCheck.missing(from: core.settings.current)
    guard !missing.isEmpty else { return [Check(.configuration, .pass, "it can be used, and is complete")] }
    return missing.map { Check(.configuration, .warning, $0.words, cause: $0.cause, remedy: $0.remedy) }
  }

  @EventLoop
  private func keyCheck(for owner: uid_t) -> Check {
    if let fault = core.vault.sealer.fault {
      let place =
        owner == 0 && fault.cause == ErrorCause.keyExposed.rawValue ? core.vault.sealer.keyFile : nil
      return Check(.key, failing: fault.saying(fault.message + (place.map { " (\($0))" } ?? "")))
    }
    return switch core.vault.sealer.source {
    case "tpm2": Check(.key, .pass, "what seals the secrets is bound to the TPM")
    case "credential": Check(.key, .pass, "what seals the secrets is a credential of the service")
    default:
      Check(
        .key,
        .warning,
        "what seals the secrets is a file beside them, for the service alone",
        cause: "key-file",
        remedy: #""mfad --seal", while the service is stopped, binds it to the machine"#
      )
    }
  }

  @EventLoop
  private var memoryCheck: Check {
    guard isMemoryLocked, SecretMemory.holdsAll else {
      return Check(
        .memory,
        .warning,
        "keys lie in memory that may be swapped out",
        cause: "not-locked",
        remedy: "raise the limit on locked memory (\"LimitMEMLOCK\" of the unit), then restart mfad"
      )
    }
    return Check(.memory, .pass, "keys lie in memory that is never swapped out")
  }
}

// What the state is looked at for, and the clock that it is judged by.

extension Service {
  /// As long as a passcode is valid: a clock that is further off makes wrong ones.
  private static let mostOffset = 30
  private static let oldBackup = Duration.seconds(30 * 86_400)

  @EventLoop
  private func clockCheck(_ offset: Int?) -> Check {
    if let offset, abs(offset) > Self.mostOffset {
      return Check(
        .clock,
        failing: .clockSkew(behind: offset, "those of the servers, so passcodes are wrong")
      )
    }
    guard offset == nil else { return Check(.clock, .pass, "it agrees with those of the servers") }
    return switch clock.isSynchronized(at: core.time.uptime()) {
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
  private func pushCheck(for owner: uid_t) -> Check {
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
  private func databaseCheck(_ damagedPages: Result<Int, RPCError>, for owner: uid_t) -> Check {
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
  private var rollbackCheck: Check {
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
  private func backupCheck(for owner: uid_t) -> Check {
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
    let isOld = core.time.now().seconds(since: newest.createdAt) > Self.oldBackup.wholeSeconds
    return isOld
      ? Check(.backup, .warning, words, cause: "old", remedy: remedy) : Check(.backup, .pass, words)
  }

  /// Whoever installs another version leaves the old one running, until somebody starts it again.
  @EventLoop
  private var versionCheck: Check {
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
