internal import ControlAPI
internal import ControlClient
internal import JSONRPC

/// What became of a user's devices, as a person reads it.
enum DeviceOutcomeText {
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
  /// Prints what a sign-on did with its user's devices; what was not done decides how the command ends.
  ///
  /// `success` is what is said besides if everything was done.
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
