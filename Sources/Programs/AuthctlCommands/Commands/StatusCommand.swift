internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let status = Command(
    "status",
    "[--verbose]",
    options: [Option("--verbose", short: "-v", "show the daemon, its protection and this machine too")],
    summary: "show whether your authenticator is ready, and the next step",
    details: """
      Shows whether you can make passcodes and answer pushes here, and the locked accounts. If your own daemon
      and the daemon of the machine both run, the command also shows the one that it does not use, if that one
      has accounts of yours. --json always prints everything.
      """,
    examples: ["authctl status --json"]
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: ServiceStatus())
    let accounts = try session.accounts(of: reply)
    let other = session.output.asJSON ? nil : try session.otherPlace()
    let isVerbose = session.arguments.has("--verbose")
    try session.output.result(reply) { status in
      let next = NextStep.line(status)
      let places = [isVerbose || other != nil ? session.place : nil, other].compactMap(\.self)
      let sockets = places.enumerated().map { [$0.offset == 0 ? "socket" : "" as SafeText, $0.element] }
      let rows =
        Readiness.rows(status, accounts) + sockets + (isVerbose ? StatusText.rows(status) : [])
      // A pipe gets unwrapped lines.
      let lines =
        session.output.isTerminal
        ? Wrapping.columns(rows, width: session.output.width) : Columns.lines(rows)
      return lines + ["\(session.output.advice(next.text))"]
    }
    // A result that this version cannot decode was printed as JSON; ignore it here.
    guard (try? reply.value)?.misconfigured == nil else { throw .told(.misconfigured) }
    _ = try accounts.get()
  }
}

extension Session {
  /// The socket of the daemon and, unless a socket is given, its owner.
  ///
  /// The owner is shown because a user that joins mfad-users reaches the machine's daemon from then on.
  fileprivate var place: SafeText { socketPath.map(place) ?? "-" }

  /// Returns the accounts, or the error of listing them; the status has only their number.
  fileprivate func accounts(
    of reply: Reply<ServiceStatusReport>
  ) throws(Failure) -> Result<[Account], Failure> {
    guard !output.asJSON, let status = try? reply.value, status.owner.paired > 0 else { return .success([]) }
    do { return .success(try call(AccountList())) } catch {
      switch error {
      case .interrupted: throw error
      // The status already reports this error.
      case .refused(let refusal) where refusal.isOne(of: .keyUnavailable): return .success([])
      default: return .failure(error)
      }
    }
  }
}

/// The rows that tell a user whether the authenticator can be used.
private enum Readiness {
  static func rows(
    _ status: ServiceStatusReport,
    _ accounts: Result<[Account], Failure>
  ) -> [[SafeText]] {
    if let found = status.misconfigured {
      let what: SafeText = "no: the daemon serves no requests, because its configuration is invalid:"
      return [["ready", what], ["", "\(found.words)"]]
    }
    let answer: SafeText = obstacle(status).map { "no: \($0)" } ?? "yes: \(count(status.owner))"
    let ready: [SafeText] = ["ready", answer]
    guard let accounts = try? accounts.get() else {
      return [ready, ["accounts", "unknown: they cannot be listed"]]
    }
    // Without the key the accounts are unknown.
    guard status.owner.paired == 0 || !accounts.isEmpty else { return [ready] }
    let uses = accounts.flatMap { account in account.authenticators.map { $0.type } }
    return [
      ready,
      ["passcodes", uses.contains("OTP") ? "yes" : "no: no account makes them"],
      ["pushes", pushes(status, accounts, isPaired: uses.contains("PUSH"))],
    ] + locked(accounts)
  }

  private static func count(_ owner: ServiceStatusReport.Owner) -> SafeText {
    Describe.count(owner.paired, "account", "accounts")
  }

  /// Returns the reason that nothing works; `nil` if there is none.
  private static func obstacle(_ status: ServiceStatusReport) -> SafeText? {
    if status.protection.sealing == "unavailable" { return "the key of the secrets is unavailable" }
    switch status.protection.pin {
    case .known(.locked): return "\(count(status.owner)), locked until you give your PIN"
    case .known(.disabled): return "too many wrong PINs disabled the PIN"
    default: return status.owner.paired == 0 ? "there is no account" : nil
    }
  }

  private static func pushes(
    _ status: ServiceStatusReport,
    _ accounts: [Account],
    isPaired: Bool
  ) -> SafeText {
    if accounts.contains(where: { $0.kind == .pushAM }) { return "yes" }
    // Passcodes and sign-ons need no platform.
    if status.platform.url.isEmpty { return "no: the configuration names no platform" }
    if !isPaired { return "no: no account gets them" }
    return status.platform.isReachable == false ? "no: the platform was not reached" : "yes"
  }

  private static func locked(_ accounts: [Account]) -> [[SafeText]] {
    accounts.filter(\.isLocked).map { account in
      let why: SafeText = account.lock.map { " \(LockText.words($0))" } ?? ""
      return ["locked", "\(Describe.account(account))\(why)"]
    }
  }
}

private enum StatusText {
  static func rows(_ status: ServiceStatusReport) -> [[SafeText]] {
    let head = [["daemon", daemon(status)]]
    guard status.misconfigured == nil else { return head }
    return head + [
      ["owner", owner(status.owner)], ["platform", platform(status.platform)],
      ["protection", protection(status.protection)], ["clock", clock(status.clock)],
    ] + machine(status)
  }

  private static func daemon(_ status: ServiceStatusReport) -> SafeText {
    let interface: SafeText = "\(status.interface.major).\(status.interface.minor)"
    return "mfad \(status.version), api \(interface), up \(Describe.duration(seconds: status.uptime))"
  }

  private static func owner(_ owner: ServiceStatusReport.Owner) -> SafeText {
    let when: SafeText = owner.isConfigured ? "" : " at the first use"
    let geography: SafeText = owner.geography.map { "configured for \($0.name)\(when)" } ?? "not configured"
    let polling: SafeText = owner.isPolling ? "polling" : "not polling"
    let counts: SafeText = "\(owner.paired) paired, \(owner.pending) pending, \(polling)"
    return "\(SystemUser.name(of: owner.uid)), \(geography), \(counts)"
  }

  private static func platform(_ platform: ServiceStatusReport.Platform) -> SafeText {
    guard !platform.url.isEmpty else { return "none configured" }
    let reachable: SafeText =
      platform.isReachable.map { $0 ? "reachable" : "not reachable" } ?? "not asked yet"
    let pinned: SafeText = platform.isPinned ? "pinned" : "not pinned"
    let contact: SafeText = platform.lastContact.map { ", last contact \($0)" } ?? ""
    return "\(platform.url), \(pinned), \(reachable)\(contact)"
  }

  private static func protection(_ protection: ServiceStatusReport.Protection) -> SafeText {
    let memory: SafeText = protection.isMemoryLocked ? "memory locked" : "memory not locked"
    let parts = protection.confinement.joined(separator: ", ")
    let confinement: SafeText = parts.isEmpty ? "not confined" : "confined by \(parts)"
    let rollback: SafeText = "rollback detected by \(protection.rollback.name)"
    let noticed: SafeText = protection.rolledBackAt.map { ", state rolled back, detected \($0)" } ?? ""
    let checking: SafeText = protection.isChecking == true ? ", the database is being checked" : ""
    let kept: SafeText = "\(protection.sealing), \(memory), PIN \(protection.pin.name), \(confinement)"
    return "\(kept), \(rollback)\(noticed)\(checking)"
  }

  private static func clock(_ clock: ServiceStatusReport.Clock) -> SafeText {
    let state: SafeText = clock.isSynchronized.map { $0 ? "synchronized" : "not synchronized" } ?? "unknown"
    let offset: SafeText = clock.offset.map { ", \($0) s off the platform's" } ?? ""
    return "\(state)\(offset)"
  }

  /// Returns the security posture that is reported to the platform, if it can be parsed.
  private static func machine(_ status: ServiceStatusReport) -> [[SafeText]] {
    guard let posture = try? MachinePosture(reading: status.posture.json) else { return [] }
    let system = posture.system
    let findings = [
      ("secure boot", posture.secureBoot), ("disk encryption", posture.diskEncryption),
      ("lockdown", posture.kernelLockdown), ("program protected", posture.isProgramProtected),
      ("state protected", posture.isStateProtected),
    ]
    return [
      ["machine", "\(system.id) \(system.version), kernel \(system.kernel)"],
      ["", findings.map { "\($0) \($1)" }.joined(separator: ", ")],
    ]
  }
}
