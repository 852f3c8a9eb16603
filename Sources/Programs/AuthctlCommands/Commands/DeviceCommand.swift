internal import JSON

extension Command {
  static let device = Command(
    "device",
    summary: "show what this machine is to the platform of each geography",
    details: """
      For each geography the device's id, then one line for each user: name, environment, device, what is so.
      Each platform is asked; what one of them did not answer is told on standard error.
      """
  ) { (session) throws(Failure) in
    let report = try session.call("device.info")
    try session.output.result(report, DeviceText.lines)
    session.noteErrors(report["errors"])
  }
}

/// What the platforms say of this machine, as a person reads it.
private enum DeviceText {
  static func lines(_ report: JSON) -> [SafeText] {
    (report["geos"]?.object?.members ?? []).flatMap { geo -> [SafeText] in
      let users = geo.value["users"]?.array ?? []
      let head: SafeText = "\(geo.name), device \(Describe.value(geo.value["deviceId"]))"
      return [users.isEmpty ? "\(head), nobody is paired" : head] + Columns.lines(users.map(row))
    }
  }

  private static func row(_ user: JSON) -> [SafeText] {
    let device = user["device"]
    var states: [SafeText] = [device?["pushEnabled"] == true ? "pushes" : "no pushes"]
    if let nickname = device?["nickname"]?.string { states.insert("called \"\(nickname)\"", at: 0) }
    if let reason = LockText.words(device?["lock"]) { states.append("locked \(reason)") }
    if let evaluation = user["deviceRequirementsEvaluation"] {
      let reason: SafeText = evaluation["reason"].map { ": \(Describe.value($0))" } ?? ""
      states.append("requirements \(Describe.value(evaluation["status"]).text.lowercased())\(reason)")
    }
    return [
      "  \(Describe.user(user))", "environment \(Describe.value(user["environment"]?["id"]))",
      "device \(Describe.value(device?["id"]))", states.joined(separator: ", "),
    ]
  }
}

extension Session {
  /// Tells in which geographies something was not done, beside the result.
  func noteErrors(_ errors: JSON?) {
    guard !output.asJSON else { return }
    for error in errors?.array ?? [] {
      output.note("\(Describe.value(error["geo"])): \(Describe.value(error["message"]))")
    }
  }
}
