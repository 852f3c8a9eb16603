internal import JSON

extension Command {
  static let sendLogs = Command(
    "send-logs",
    summary: "send your organization's support what the daemon noted lately",
    details: """
      What is sent are the daemon's own words and numbers: no secret, no name, nothing that came from outside.
      The id that is printed is what the support finds it by.
      """
  ) { (session) throws(Failure) in
    try session.output.result(try session.call("device.sendLogs")) { [Describe.value($0["supportId"])] }
  }
}
