internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import OpenSSL
internal import Settings
internal import Time
internal import Vault

extension Service {
  typealias Check = DoctorReport.Check

  /// Everything that can be looked at, as one owner may know it; root may know more.
  @EventLoop
  func examination(for owner: uid_t) async throws -> DoctorReport {
    if let problem = settings.problem {
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
    let missing = ConfigurationCheck.missing(from: settings.current)
    guard !missing.isEmpty else { return [Check(.configuration, .pass, "it can be used, and is complete")] }
    return missing.map { Check(.configuration, .warning, $0.words, cause: $0.cause, remedy: $0.remedy) }
  }

  @EventLoop
  private func keyCheck(for owner: uid_t) -> Check {
    if let fault = vault.sealer.fault {
      let place = owner == 0 && fault.cause == ErrorCause.keyExposed.rawValue ? vault.sealer.keyFile : nil
      return Check(.key, failing: fault.saying(fault.message + (place.map { " (\($0))" } ?? "")))
    }
    return switch vault.sealer.source {
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
