internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import JSON
internal import JSONRPC
internal import Usage

extension Command {
  static let configure = Command(
    "configure",
    "GEO",
    words: 1...1,
    operands: .of(Geography.allCases.map(\.rawValue)),
    summary: "choose the geography of PingOne that this machine belongs to",
    details: """
      GEO is NorthAmerica, Europe, Australia, Canada, Singapore or AsiaPacific. Choosing the same one again
      changes nothing. Another one is refused until "authctl reset" has erased all your data on this machine.
      """,
    examples: ["authctl configure Europe"]
  ) { (session) throws(Failure) in
    guard let geography = try session.geography else { return }
    try session.print(DeviceConfigure(geography: geography)) {
      ["configured for \($0.geography.name), device \($0.deviceID)"]
    }
  }

  static let device = Command(
    "device",
    summary: "show the device that this machine is at the platform of each geography",
    details: """
      Prints the device id of each geography, then one line for each user: name, environment, device, states.
      authctl asks each platform and prints errors on standard error. If all fail, the exit code is that of
      the first error.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: DeviceInfo())
    try session.output.result(reply) { $0.geos.flatMap(DeviceText.lines) }
    let report = try reply.value
    session.note(report.errors)
    if report.geos.isEmpty, let error = report.errors.first { throw .told(error.exitCode) }
  }

  static let rotateKeys = Command(
    "rotate-keys",
    summary: "replace the keys that identify this machine at the platforms",
    details: "The daemon does this automatically once a year. Pairings stay valid."
  ) { (session) throws(Failure) in
    try session.print(DeviceRotateKeys()) { ["keys replaced at \($0)"] }
  }

  static let sendLogs = Command(
    "send-logs",
    summary: "send the daemon's recent log to your organization's support",
    details: """
      The log contains the daemon's own texts and numbers: no secrets, no names and no data from outside. The
      command prints the id by which the support finds the log.
      """
  ) { (session) throws(Failure) in
    try session.print(DeviceSendLogs()) { ["\($0)"] }
  }
}

extension Session {
  /// The geography in the first argument; `nil` without an argument.
  var geography: Geography? {
    get throws(Failure) {
      guard let name = arguments.words.first else { return nil }
      guard let geography = Geography(named: name) else {
        let all = Geography.allCases.map { "\($0.rawValue)" as SafeText }.joined(separator: ", ")
        throw .local(
          .usage,
          "unknown geography \"\(name)\"",
          hint: "use one of \(all)",
          details: .object(ErrorDetails.of(parameter: "geo", allowed: Geography.allCases.map(\.rawValue)))
        )
      }
      return geography
    }
  }
}

/// The devices at the platforms in text form.
private enum DeviceText {
  static func lines(_ geo: DeviceReport.Geo) -> [SafeText] {
    let head: SafeText = "\(geo.geography.name), device \(geo.deviceID)"
    return [geo.users.isEmpty ? "\(head), no user is paired" : head] + Columns.lines(geo.users, row)
  }

  private static func row(_ record: DeviceRecord) -> [SafeText] {
    var states: [SafeText] = [record.device.isPushEnabled ? "pushes" : "no pushes"]
    if let nickname = record.device.nickname { states.insert("called \"\(nickname)\"", at: 0) }
    if let lock = record.device.lock { states.append("locked \(LockText.words(lock))") }
    if let evaluation = record.evaluation {
      let reason: SafeText = evaluation.reason.map { ": \($0)" } ?? ""
      states.append("requirements \(evaluation.status.lowercased())\(reason)")
    }
    return [
      "  \(Describe.user(record.user))", "environment \(record.environment.id)", "device \(record.device.id)",
      states.joined(separator: ", "),
    ]
  }
}

extension GeographyError {
  /// The exit code of a command that did nothing because of this error.
  fileprivate var exitCode: ExitCode { RPCError.exitCode(of: code) }
}

extension Session {
  /// Prints the errors of single geographies in addition to the result.
  func note(_ errors: [GeographyError]) {
    guard !output.asJSON else { return }
    for error in errors { output.note("\(error.geography.name): \(error.message)") }
  }
}
