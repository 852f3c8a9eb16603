internal import ControlAPI

extension Command {
  static let devices = Command(
    "devices",
    "[OPTION]…",
    options: Option.signOn,
    summary: "list the devices that you have at PingOne",
    details: """
      You sign on for it, as "authctl login" does, with the right to look at your devices. One line each: id, type,
      status, name, the account of this machine that it is.
      """
  ) { (session) throws(Failure) in
    try session.tell(try session.signOn(for: DeviceOrders(lists: true)))
  }

  static let devicesRemove = Command(
    "devices remove",
    "DEVICE [--yes] [OPTION]…",
    words: 1...1,
    options: Option.signOn + [Option("--yes", "also a device that is not this machine's")],
    summary: "remove a device of yours at PingOne, and here if it is this machine",
    details: "DEVICE is an account of this machine or the id of a device. You sign on for it."
  ) { (session) throws(Failure) in
    let (device, isOwn) = try session.device(named: session.arguments.words[0])
    var isConfirmed = isOwn || session.arguments.has("--yes")
    if !isConfirmed { isConfirmed = try session.asks("remove device \(device), which is not this machine?") }
    let orders = DeviceOrders(remove: [device], confirm: isConfirmed ? [device] : [])
    try session.tell(try session.signOn(for: orders))
  }

  static let devicesRename = Command(
    "devices rename",
    "DEVICE NAME [--yes] [OPTION]…",
    words: 2...2,
    options: Option.signOn + [Option("--yes", "also a device that is not this machine's")],
    summary: "call a device of yours at PingOne by another name",
    details: "DEVICE is an account of this machine or the id of a device. You sign on for it."
  ) { (session) throws(Failure) in
    let (device, isOwn) = try session.device(named: session.arguments.words[0])
    let isConfirmed = isOwn || session.arguments.has("--yes")
    let renaming = DeviceOrders.Renaming(account: device, nickname: session.arguments.words[1])
    let orders = DeviceOrders(rename: renaming, confirm: isConfirmed ? [device] : [])
    try session.tell(try session.signOn(for: orders), success: "\(device) is called \(renaming.nickname)")
  }
}

extension Session {
  /// The id of an account that is such a device, or else of a device that only PingOne knows.
  fileprivate func device(named name: String) throws(Failure) -> (id: String, isOwn: Bool) {
    let own = try call(AccountList()).filter { $0.kind == .pingOneTOTP }
    let fitting = own.filter { $0.id == name || $0.isCalled(name.lowercased()) }
    guard let first = fitting.first else { return (name, false) }
    return (try only(first, of: fitting, "several accounts fit \"\(name)\""), true)
  }

  /// What a person at the terminal says; without one, no.
  fileprivate func asks(_ question: SafeText) throws(Failure) -> Bool {
    try terminal?.confirm(question) ?? false
  }
}
