internal import Accounts
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

  /// Runs all checks and reports the details that the owner may see.
  ///
  /// Root sees more.
  @EventLoop
  func examination(for owner: uid_t) async throws -> DoctorReport {
    if let problem = core.settings.problem {
      return DoctorReport(misconfiguredChecks(Misconfiguration(problem), for: owner))
    }
    let findings = try await examiner.findings()
    return DoctorReport(
      configurationChecks(for: owner) + [keyCheck(for: owner), memoryCheck, clockCheck(findings.clockOffset)]
        + findings.reach
        + refusedAddressChecks(for: owner)
        + [
          pushCheck(for: owner), databaseCheck(findings.damagedPages, for: owner), rollbackCheck,
          backupCheck(for: owner), versionCheck,
        ]
    )
  }

  /// Skips all checks of the state, since an invalid configuration may name the wrong state directory.
  @EventLoop
  private func misconfiguredChecks(_ found: Misconfiguration, for owner: uid_t) -> [Check] {
    let looked = [Self.check(found, for: owner), memoryCheck, clockCheck(nil), versionCheck]
    return DoctorReport.Name.allCases.map { name in
      looked.first { $0.name == name } ?? Check(name, .skipped, "the configuration cannot be used")
    }
  }

  /// Reports the error in the configuration.
  ///
  /// Only root sees the path of the file.
  private static func check(_ found: Misconfiguration, for owner: uid_t) -> Check {
    let error = RPCError.misconfigured(found)
    let place = [found.line.map { "line \($0)" }, found.key.map { "\"\($0)\"" }].compactMap(\.self)
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
  private func configurationChecks(for owner: uid_t) -> [Check] {
    let missing = usesNoServer(owner) ? [] : ConfigurationCheck.missing(from: core.settings.current)
    let outdated =
      core.settings.isOutdated(core.settings.current)
      ? [
        Check(
          .configuration,
          .warning,
          "the file was changed after mfad read it",
          cause: "outdated",
          remedy: "run \"mfad --check-config\", then \"sudo systemctl restart mfad\""
        )
      ] : []
    guard !missing.isEmpty || !outdated.isEmpty else {
      return [Check(.configuration, .pass, "it is valid and complete")]
    }
    return outdated
      + missing.map { Check(.configuration, .warning, $0.words, cause: $0.cause, remedy: $0.remedy) }
  }

  /// True if the configuration names no server, but the owner has accounts, which were enrolled without one.
  @EventLoop
  private func usesNoServer(_ owner: uid_t) -> Bool {
    core.settings.current.allowedOrigins.isEmpty && hasAccount(owner)
  }

  @EventLoop
  private func hasAccount(_ owner: uid_t) -> Bool { (try? accounts.activeCount(of: owner)) ?? 0 > 0 }

  @EventLoop
  private func keyCheck(for owner: uid_t) -> Check {
    if let fault = core.vault.sealer.fault {
      let place =
        owner == 0 && fault.cause == ErrorCause.keyExposed.rawValue ? core.vault.sealer.keyFile : nil
      return Check(.key, failing: fault.withMessage(fault.message + (place.map { " (\($0))" } ?? "")))
    }
    return switch core.vault.sealer.source {
    case "tpm2": Check(.key, .pass, "a key bound to the TPM seals the secrets")
    case "credential": Check(.key, .pass, "a systemd credential holds the key that seals the secrets")
    default:
      Check(
        .key,
        .warning,
        "a key in a file next to the secrets seals them; only the service can read it",
        cause: "key-file",
        remedy: #"stop the service and run "mfad --seal" to bind the key to the machine"#
      )
    }
  }

  @EventLoop
  private var memoryCheck: Check {
    guard isMemoryLocked, SecretMemory.holdsAll else {
      return Check(
        .memory,
        .warning,
        "keys are in memory that may be swapped out",
        cause: "not-locked",
        remedy: "raise the limit on locked memory (\"LimitMEMLOCK\" of the unit), then restart mfad"
      )
    }
    return Check(.memory, .pass, "keys are in memory that is never swapped out")
  }
}

// Checks of the clock, pushes, the database, rollback, backups and the version.

extension Service {
  /// Maximum clock error in seconds: the validity of a passcode.
  ///
  /// Beyond it, passcodes are wrong.
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
    guard offset == nil else { return Check(.clock, .pass, "the clock agrees with those of the servers") }
    return switch clock.isSynchronized(at: core.time.uptime()) {
    case true?: Check(.clock, .pass, "the clock is synchronized")
    case false?:
      Check(
        .clock,
        .warning,
        "the clock is not synchronized",
        cause: "not-synchronized",
        remedy: RPCError.clockSkew.withCause(.clockSkew).hint
      )
    case nil: Check(.clock, .skipped, "the kernel does not report whether the clock is synchronized")
    }
  }

  /// Warns of each account with a push address that its server refused.
  @EventLoop
  private func refusedAddressChecks(for owner: uid_t) -> [Check] {
    let accounts = (try? accounts.list(of: owner)) ?? []
    return accounts.compactMap { account in
      guard let push = account.authenticators.first(where: { $0.status == "FAILED" }) else { return nil }
      return Check(
        .pushes,
        .warning,
        "\(account.label): \(push.errorMessage ?? "its setup failed")",
        cause: "address-refused",
        remedy: "remove the account with \"authctl accounts remove\", then enrol it again at its server"
      )
    }
  }

  @EventLoop
  private func pushCheck(for owner: uid_t) -> Check {
    let tests: [PushTestReport.Test]
    do { tests = try pingOne.pushTests.standing(of: owner) } catch {
      let error = RPCError(naming: error)
      let isNobody = [RPCError.notConfigured.code, RPCError.notPaired.code].contains(error.code)
      return isNobody
        ? Check(.pushes, .skipped, "no account is paired, so none arrive") : Check(.pushes, failing: error)
    }
    guard let worst = tests.max(by: { $0.result.choice ?? .pass < $1.result.choice ?? .pass }),
      worst.result != .pass
    else { return Check(.pushes, .pass, "pushes can reach this machine") }
    return Check(
      .pushes,
      worst.result == .fail ? .fail : .warning,
      "push test not passed: \(worst.description)" + (worst.info.map { ": \($0)" } ?? ""),
      cause: worst.name.name,
      remedy: "run \"authctl push on\" to allow pushes and \"authctl test-push\" to test them"
    )
  }

  @EventLoop
  private func databaseCheck(_ damagedPages: Result<Int, RPCError>, for owner: uid_t) -> Check {
    let newest = owner == 0 ? backups.directory.newest : nil
    let restoring = "stop the service and run \"mfad --restore \(newest ?? "FILE")\" to restore a backup"
    switch damagedPages {
    case .success(0) where changedValues(for: owner) > 0:
      return Check(
        .database,
        .fail,
        "sealed values in the database were changed without the key: \(changedValues(for: owner))",
        cause: "changed",
        remedy:
          "find out which program writes to the database; \"authctl audit\" shows the values; \(restoring)"
      )
    case .success(0): return Check(.database, .pass, "the database is undamaged and writable")
    case .success(let count):
      return Check(
        .database,
        .fail,
        "damaged pages in the database\(owner == 0 ? ": \(count)" : "")",
        cause: ErrorCause.corrupt.rawValue,
        remedy: restoring
      )
    case .failure(let error):
      let isDamaged = error.cause == ErrorCause.corrupt.rawValue
      return Check(.database, failing: isDamaged ? error.withHint(restoring) : error)
    }
  }

  /// Returns the number of values that an owner can know of; root knows those of all owners.
  @EventLoop
  private func changedValues(for owner: uid_t) -> Int {
    core.vault.sealer.damage.count(of: owner == 0 ? nil : owner)
  }

  @EventLoop
  private var rollbackCheck: Check {
    if let noticed = rollback.noticedAt {
      return Check(
        .rollback,
        .warning,
        "the state or a part of it was replaced by an older copy, noticed at \(noticed.text)",
        cause: "rolled-back",
        remedy: "check \"authctl audit\" and \"authctl accounts\" for lost entries; it may be deliberate"
      )
    }
    guard !rollback.hasFailed else {
      return Check(
        .rollback,
        .warning,
        "an older copy of the state would not be noticed",
        cause: "not-kept",
        remedy: "see the reason in the daemon's journal: \"journalctl -u mfad\""
      )
    }
    return rollback.isKept
      ? Check(.rollback, .pass, "the state is not an older copy")
      : Check(.rollback, .skipped, "nothing has been sealed yet")
  }

  @EventLoop
  private func backupCheck(for owner: uid_t) -> Check {
    let remedy = "run \"sudo authctl backup create\""
    if let failing = backups.newestThatFails() {
      let place = owner == 0 ? " (\(failing))" : ""
      return Check(.backup, .warning, "the newest cannot be opened\(place)", cause: "damaged", remedy: remedy)
    }
    let regularly = "\(remedy); \"sudo systemctl enable --now mfad-backup.timer\" makes one each day"
    guard let newest = backups.directory.all().first else {
      let owners = (try? core.owners.all().map(\.uid)) ?? []
      guard owners.contains(where: { hasAccount($0) }) else {
        return Check(.backup, .skipped, "there is no account yet that a backup would contain")
      }
      return Check(.backup, .warning, "there is no backup", cause: "none", remedy: regularly)
    }
    let place = owner == 0 ? " (\(newest.file))" : ""
    let words = "the newest backup is of \(newest.createdAt.text)\(place)"
    let isOld = core.time.now().seconds(since: newest.createdAt) > Self.oldBackup.wholeSeconds
    return isOld
      ? Check(.backup, .warning, words, cause: "old", remedy: regularly) : Check(.backup, .pass, words)
  }

  /// Warns if the program file was replaced, since an upgrade does not restart the running daemon.
  @EventLoop
  private var versionCheck: Check {
    let version = "mfad \(Version.text)"
    guard ProcessFigures.hasReplacedProgram else { return Check(.version, .pass, version) }
    return Check(
      .version,
      .warning,
      "\(version) is running, but another version is installed",
      cause: "replaced",
      remedy: "run \"sudo systemctl restart mfad\" to start the installed version"
    )
  }
}
