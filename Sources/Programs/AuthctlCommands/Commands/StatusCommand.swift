internal import JSON

extension Command {
  static let status = Command(
    "status",
    summary: "show how the daemon is and what it holds for you"
  ) { (session) throws(Failure) in
    try session.output.result(try session.call("service.status"), StatusText.lines)
  }
}

private enum StatusText {
  static func lines(_ status: JSON) -> [SafeText] {
    let rows = [
      ["daemon", daemon(status)], ["owner", owner(status["owner"])],
      ["platform", platform(status["platform"])], ["protection", protection(status["protection"])],
      ["clock", clock(status["clock"])],
    ]
    return Columns.lines(rows + machine(status["posture"]))
  }

  /// What the platform hears of this machine; an older daemon says nothing.
  private static func machine(_ posture: JSON?) -> [[SafeText]] {
    guard let posture else { return [] }
    let (system, kernel) = (posture["os"], Describe.value(posture["os"]?["kernel"]))
    let findings: [(SafeText, JSON?)] = [
      ("secure boot", posture["secureBoot"]), ("disk encryption", posture["diskEncryption"]),
      ("lockdown", posture["kernelLockdown"]), ("program protected", posture["programProtected"]),
      ("state protected", posture["stateProtected"]),
    ]
    return [
      [
        "machine", "\(Describe.value(system?["id"])) \(Describe.value(system?["version"])), kernel \(kernel)",
      ],
      ["", findings.map { "\($0) \(Describe.value($1))" }.joined(separator: ", ")],
    ]
  }

  private static func daemon(_ status: JSON) -> SafeText {
    let api: SafeText =
      "\(Describe.value(status["api"]?["major"])).\(Describe.value(status["api"]?["minor"]))"
    let version: SafeText = "mfad \(Describe.value(status["version"])), api \(api)"
    guard let uptime = status["uptime"]?.int else { return version }
    return "\(version), up \(Describe.duration(seconds: uptime))"
  }

  private static func owner(_ owner: JSON?) -> SafeText {
    var parts: [SafeText] = ["user \(Describe.value(owner?["uid"]))"]
    if owner?["configured"] == true {
      parts.append("configured for \(Describe.value(owner?["geo"]))")
    } else {
      parts.append("not configured")
    }
    parts.append(count(owner?["paired"], "paired"))
    parts.append(count(owner?["pending"], "pending"))
    parts.append(owner?["polling"] == true ? "polling" : "not polling")
    return parts.joined(separator: ", ")
  }

  private static func count(_ value: JSON?, _ name: SafeText) -> SafeText {
    if let flag = value?.bool { return flag ? name : "not \(name)" }
    return "\(Describe.value(value)) \(name)"
  }

  private static func platform(_ platform: JSON?) -> SafeText {
    let reachable: SafeText =
      switch platform?["reachable"]?.bool {
      case true?: "reachable"
      case false?: "not reachable"
      case nil: "not asked yet"
      }
    let pinned: SafeText = platform?["pinned"] == true ? "pinned" : "not pinned"
    let line: SafeText = "\(Describe.value(platform?["url"])), \(pinned), \(reachable)"
    guard let contact = platform?["lastContact"]?.string else { return line }
    return "\(line), last contact \(contact)"
  }

  private static func protection(_ protection: JSON?) -> SafeText {
    let memory: SafeText = protection?["memoryLocked"] == true ? "memory locked" : "memory not locked"
    return "\(Describe.value(protection?["sealing"])), \(memory), PIN \(Describe.value(protection?["pin"]))"
  }

  private static func clock(_ clock: JSON?) -> SafeText {
    let state: SafeText =
      switch clock?["synchronized"]?.bool {
      case true?: "synchronized"
      case false?: "not synchronized"
      case nil: "unknown"
      }
    guard let offset = clock?["offset"] else { return state }
    return "\(state), \(Describe.value(offset)) s off the platform's"
  }
}
