internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let devices = Command(
    "devices",
    "[OPTION]…",
    options: Option.signOn,
    summary: "list the devices that you have at PingOne, or at PingAM",
    details: """
      You sign on for it, as "authctl login" does, with the right to look at your devices; with --journey at PingAM.
      One line each: id, type, status, name, the account of this machine that it is.
      """,
    examples: ["authctl devices --journey Login"]
  ) { (session) throws(Failure) in
    try session.tell(try session.signOn(for: DeviceOrders(lists: true)))
  }

  static let devicesRemove = Command(
    "devices remove",
    "DEVICE [--yes] [OPTION]…",
    words: 1...1,
    options: Option.signOn + [Option("--yes", "also a device that is not this machine's")],
    summary: "remove a device of yours at PingOne or PingAM, and here if it is this machine",
    details: """
      DEVICE is an account of this machine or the id of a device. You sign on for it; with --journey at PingAM, where
      an account with pushes and passcodes is two devices, which go together.
      """
  ) { (session) throws(Failure) in
    let device = try session.chosenDevice("remove", orElse: "not removed")
    try session.tell(try session.signOn(for: DeviceOrders(remove: [device], confirm: [device])))
  }

  static let devicesRename = Command(
    "devices rename",
    "DEVICE NAME [--yes] [OPTION]…",
    words: 2...2,
    options: Option.signOn + [Option("--yes", "also a device that is not this machine's")],
    summary: "call a device of yours at PingOne or PingAM by another name",
    details:
      "DEVICE is an account of this machine or the id of a device. You sign on for it, as for removing."
  ) { (session) throws(Failure) in
    let device = try session.chosenDevice("rename", orElse: "not renamed")
    let renaming = DeviceOrders.Renaming(account: device, nickname: session.arguments.words[1])
    let orders = DeviceOrders(rename: renaming, confirm: [device])
    try session.tell(try session.signOn(for: orders), success: "\(device) is called \(renaming.nickname)")
  }
}

extension Session {
  /// The account or device that the first word names; one that is not this machine's only after a yes.
  fileprivate func chosenDevice(_ verb: SafeText, orElse refusal: SafeText) throws(Failure) -> String {
    let name = arguments.words[0]
    let kinds: [Account.Kind] = arguments["--journey"] == nil ? [.pingOneTOTP] : [.pushAM, .oath]
    let fitting = try call(AccountList()).filter { account in
      kinds.contains { account.kind == $0 } && (account.id == name || account.isCalled(name.lowercased()))
    }
    if let first = fitting.first { return try only(first, of: fitting, "several accounts fit \"\(name)\"") }
    try confirm("\(verb) device \(name), which is not this machine?", orElse: refusal)
    return name
  }
}
