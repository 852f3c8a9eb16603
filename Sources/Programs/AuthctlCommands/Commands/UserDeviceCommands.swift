internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let devices = Command(
    "devices",
    "[OPTION]…",
    options: Option.signOn,
    summary: "list your devices at PingOne or PingAM",
    details: """
      You sign on as with "authctl login", with the right to view your devices; use --journey for PingAM. One
      line each: id, type, status, name and, if the device is this machine, its account.
      """,
    examples: ["authctl devices --journey Login"]
  ) { (session) throws(Failure) in
    try session.tell(try session.signOn(for: DeviceOrders(lists: true)))
  }

  static let devicesRemove = Command(
    "devices remove",
    "[DEVICE] [--yes] [OPTION]…",
    words: 0...1,
    options: Option.signOn + [Option("--yes", "do not ask for confirmation, not even for other devices")],
    operands: .accounts,
    summary: "remove one of your devices at PingOne or PingAM, and here if it is this machine",
    details: """
      DEVICE is an account of this machine (id, name or part of either), or the full id of another device.
      Without DEVICE you choose an account of this machine on the terminal. You sign on as with "authctl
      login"; use --journey for PingAM. There an account with pushes and passcodes is two devices, which are
      removed together.
      """
  ) { (session) throws(Failure) in
    try session.require(words: 1)
    let device = try session.chosenDevice("remove", asksAboutOwn: true, orElse: "not removed")
    try session.tell(try session.signOn(for: DeviceOrders(remove: [device], confirm: [device])))
  }

  static let devicesRename = Command(
    "devices rename",
    "[DEVICE [NAME]] [--yes] [OPTION]…",
    words: 0...2,
    options: Option.signOn + [Option("--yes", "do not ask for confirmation of other devices")],
    operands: .accounts,
    summary: "rename one of your devices at PingOne or PingAM",
    details: """
      DEVICE and the sign-on are as for "devices remove". On a terminal, authctl asks for missing arguments.
      """
  ) { (session) throws(Failure) in
    try session.require(words: 2)
    let device = try session.chosenDevice("rename", asksAboutOwn: false, orElse: "not renamed")
    let renaming = DeviceOrders.Renaming(account: device, nickname: try session.newName())
    let orders = DeviceOrders(rename: renaming, confirm: [device])
    try session.tell(try session.signOn(for: orders), success: "\(device) is now named \(renaming.nickname)")
  }
}

extension Session {
  /// Returns the account or device that the first word names, or the account that the user chooses.
  ///
  /// Asks for confirmation of a device that is not this machine's. With `asksAboutOwn`, also asks about an
  /// account unless its id or one of its full names was given.
  fileprivate func chosenDevice(
    _ verb: SafeText,
    asksAboutOwn: Bool,
    orElse refusal: SafeText
  ) throws(Failure) -> String {
    let kinds: [Account.Kind] = arguments["--journey"] == nil ? [.pingOneTOTP] : [.pushAM, .oath]
    let own = try call(AccountList()).filter { account in kinds.contains { account.kind == $0 } }
    guard let name = arguments.words.first else {
      let account = try chooseAccount(among: own)
      if asksAboutOwn { try confirm("\(verb) account \(account.id)?", orElse: refusal) }
      return account.id
    }
    guard let account = try account(fitting: name, among: own, orPart: isWatched) else {
      try confirm("\(verb) device \(name), which is not this machine?", orElse: refusal)
      return name
    }
    if asksAboutOwn, name != account.id, !account.isCalled(name.lowercased()) {
      terminal?.show([Describe.account(account)])
      try confirm("\(verb) account \(account.id)?", orElse: refusal)
    }
    return account.id
  }
}

/// The result of device orders in text form.
private enum DeviceOutcomeText {
  static func lines(_ node: Node) -> [SafeText] {
    let outcome = node.devices ?? DeviceOutcome()
    let added = outcome.added.map { account -> SafeText in
      "this machine makes passcodes for \(Describe.user(account.user)): account \(account.id)"
    }
    let removed = outcome.removed.map { "removed \($0)" as SafeText }
    return added + removed + Columns.lines(outcome.list ?? [], row)
  }

  private static func row(_ device: UserDevice) -> [SafeText] {
    var row: [SafeText] = ["\(device.id)", "\(device.type)", "\(device.status)", "\(device.nickname ?? "-")"]
    if let account = device.account { row.append("this machine, account \(account)") }
    return row
  }
}

extension Session {
  /// Prints the changes to the user's devices.
  ///
  /// The first failed order determines the exit code.
  ///
  /// Prints `success` too if every order succeeded.
  func tell(_ reply: Reply<Node>, success: SafeText? = nil) throws(Failure) {
    let problems = try reply.value.devices?.problems ?? []
    let (warnings, failures) = (problems.filter(\.isWarning), problems.filter { !$0.isWarning })
    try output.result(reply) { node in
      ["signed on as \(Describe.user(node.user))"] + DeviceOutcomeText.lines(node)
        + (failures.isEmpty ? [success].compactMap { $0 } : [])
    }
    if !output.asJSON {
      for warning in warnings { output.note("warning: \(warning.message)") }
      for failure in failures { output.note("error: \(failure.subject): \(failure.message)") }
    }
    guard let failure = failures.first else { return }
    throw .told(RPCError.exitCode(of: failure.code))
  }
}

extension DeviceOutcome.Problem {
  fileprivate var isWarning: Bool { subject == Self.clock }
}
