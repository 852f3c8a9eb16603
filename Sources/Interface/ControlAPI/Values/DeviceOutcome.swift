package import JSONRPC

/// What became of what a sign-on was to do with devices.
package struct DeviceOutcome: ControlObject {
  /// Why one thing was not done, while others may have been.
  package struct Problem: ControlObject {
    /// What was to be done: the kind that was to be added, the id that was named, `list`, or `clock` where only the
    /// clock of this machine is wrong.
    package let subject: String
    package let code: Int
    package let reason: String
    package let message: String

    package static let shape = Shape(
      Problem.init(subject:code:reason:message:),
      .required("for", \.subject, as: .identifier, "the kind to add, the id that was named, list, or clock"),
      .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
      .required("reason", \.reason, as: .text(maximum: 128), "its stable name"),
      .required("message", \.message, "its sentence for a person")
    )
  }

  package var added: [Account]
  /// `nil` unless they were asked for.
  package var list: [UserDevice]?
  package var removed: [String]
  package var problems: [Problem]

  package static let shape = Shape(
    "DeviceOutcome",
    DeviceOutcome.init(added:list:removed:problems:),
    .required("added", \.added, "the accounts that were made"),
    .optional("list", \.list, "the devices that there are now"),
    .required("removed", \.removed, "what was removed, as it was named"),
    .required("errors", \.problems, "what was not done")
  )
}

extension DeviceOutcome {
  package init() { self.init(added: [], list: nil, removed: [], problems: []) }

  /// Nothing of what was to be done could be.
  package static func failed(_ orders: DeviceOrders, _ error: RPCError) -> DeviceOutcome {
    let subjects =
      orders.add.map(\.rawValue) + orders.remove + [orders.rename?.account].compactMap { $0 }
      + (orders.lists ? ["list"] : [])
    var outcome = DeviceOutcome()
    outcome.problems = subjects.map { Problem($0, error) }
    return outcome
  }
}

extension DeviceOutcome.Problem {
  package static let clock = "clock"

  /// What a call that concerned this alone would have failed with.
  package init(_ subject: String, _ error: RPCError) {
    self.init(subject: subject, code: error.code, reason: error.reason, message: error.message)
  }
}
