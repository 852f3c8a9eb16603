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
      line each: name, type, status, whether the device is this machine, id.
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
    let device = try session.chosenDevice("remove", asksAboutOwn: true, orElse: "not removed").id
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
    let (device, name) = try session.chosenDevice("rename", asksAboutOwn: false, orElse: "not renamed")
    let renaming = DeviceOrders.Renaming(account: device, nickname: try session.newName(of: name))
    let orders = DeviceOrders(rename: renaming, confirm: [device])
    try session.tell(try session.signOn(for: orders), success: "\(name) is now named \(renaming.nickname)")
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
  ) throws(Failure) -> (id: String, name: SafeText) {
    let kinds: [Account.Kind] = arguments["--journey"] == nil ? [.pingOneTOTP] : [.pushAM, .oath]
    let given = arguments.words.first
    let own = try namedAccounts(for: given).filter { account in kinds.contains { account.kind == $0 } }
    if let given {
      guard let account = try account(fitting: given, among: own, by: extent) else {
        try confirm("\(verb) device \(given), which is not this machine?", orElse: refusal)
        return (given, "device \(given)")
      }
      let isNamed = given == account.id || account.isCalled(given.lowercased())
      return try confirmed(account, verb, isAsked: asksAboutOwn && !isNamed, orElse: refusal)
    }
    return try confirmed(try chooseAccount(among: own), verb, isAsked: asksAboutOwn, orElse: refusal)
  }

  private func confirmed(
    _ account: Account,
    _ verb: SafeText,
    isAsked: Bool,
    orElse refusal: SafeText
  ) throws(Failure) -> (id: String, name: SafeText) {
    let name: SafeText = "account \(Describe.account(account))"
    if isAsked { try confirm("\(verb) \(name)?", orElse: refusal) }
    return (account.id, name)
  }
}

/// The result of device orders in text form.
private enum DeviceOutcomeText {
  static func lines(_ node: Node) -> [SafeText] {
    let outcome = node.devices ?? DeviceOutcome()
    let added = outcome.added.map { account -> SafeText in
      "this machine makes passcodes now: \(Describe.account(account)), account \(Describe.short(account.id))"
    }
    let removed = outcome.removed.map { "removed \($0)" as SafeText }
    return added + removed + Columns.lines(outcome.list ?? [], row)
  }

  private static func row(_ device: UserDevice) -> [SafeText] {
    let place: SafeText = device.account.map { "this machine, account \(Describe.short($0))" } ?? "-"
    // "devices remove" needs the whole id of a device.
    return ["\(device.nickname ?? "-")", "\(device.type)", "\(device.status)", place, "\(device.id)"]
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
