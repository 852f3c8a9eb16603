internal import ControlAPI
internal import ControlClient
internal import JSONRPC

extension Command {
  static let status = Command(
    "status",
    summary: "show the state of the daemon and of your authenticator, and the next step",
    details: """
      If your own daemon and the daemon of the machine both run, the command also shows the one that it does
      not use, if that one has accounts of yours.
      """,
    examples: ["authctl status --json"]
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: ServiceStatus())
    let accounts = try session.closedAccounts(reply)
    let other = session.output.asJSON ? nil : try session.otherPlace()
    try session.output.result(reply) { status in
      let next = NextStep.line(status)
      let rows = StatusText.rows(status, accounts, at: [session.place, other].compactMap(\.self))
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

  /// Returns the accounts that a policy has locked, or the error of listing them; the status omits them.
  fileprivate func closedAccounts(
    _ reply: Reply<ServiceStatusReport>
  ) throws(Failure) -> Result<[Account], Failure> {
    guard !output.asJSON, let status = try? reply.value, status.owner.paired > 0 else { return .success([]) }
    do { return .success(try call(AccountList()).filter(\.isLocked)) } catch {
      switch error {
      case .interrupted: throw error
      // The status already reports this error.
      case .refused(let refusal) where refusal.isOne(of: .keyUnavailable): return .success([])
      default: return .failure(error)
      }
    }
  }
}

private enum StatusText {
  static func rows(
    _ status: ServiceStatusReport,
    _ closed: Result<[Account], Failure>,
    at places: [SafeText]
  ) -> [[SafeText]] {
    let sockets = places.enumerated().map { [$0.offset == 0 ? "socket" : "" as SafeText, $0.element] }
    let head = [["daemon", daemon(status)]] + sockets
    if let found = status.misconfigured { return head + misconfigured(found) }
    return head + [
      ["owner", owner(status.owner)], ["platform", platform(status.platform, status.owner)],
      ["protection", protection(status.protection)], ["clock", clock(status.clock)],
    ] + locked(closed) + machine(status)
  }

  private static func daemon(_ status: ServiceStatusReport) -> SafeText {
    let interface: SafeText = "\(status.interface.major).\(status.interface.minor)"
    return "mfad \(status.version), api \(interface), up \(Describe.duration(seconds: status.uptime))"
  }

  private static func misconfigured(_ found: Misconfiguration) -> [[SafeText]] {
    [["", "the daemon serves no requests, because its configuration is invalid:"], ["", "\(found.words)"]]
  }

  private static func owner(_ owner: ServiceStatusReport.Owner) -> SafeText {
    let when: SafeText = owner.isConfigured ? "" : " at the first use"
    let geography: SafeText = owner.geography.map { "configured for \($0.name)\(when)" } ?? "not configured"
    let polling: SafeText = owner.isPolling ? "polling" : "not polling"
    return "user \(owner.uid), \(geography), \(owner.paired) paired, \(owner.pending) pending, \(polling)"
  }

  private static func locked(_ closed: Result<[Account], Failure>) -> [[SafeText]] {
    guard let closed = try? closed.get() else {
      return [["locked", "unknown: the accounts cannot be listed"]]
    }
    return closed.map { account in
      let why: SafeText = account.lock.map { " \(LockText.words($0))" } ?? ""
      return ["locked", "\(Describe.account(account))\(why)"]
    }
  }

  private static func platform(
    _ platform: ServiceStatusReport.Platform,
    _ owner: ServiceStatusReport.Owner
  ) -> SafeText {
    // Passcodes and sign-ons need no platform, and pushes of PingAM accounts do not either.
    guard !platform.url.isEmpty else {
      return owner.paired > 0 ? "none configured" : "none configured, so no request can reach this machine"
    }
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
