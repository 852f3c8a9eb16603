package import JSON

/// A passcode: one that counts for a while, or one that counts once.
package enum Passcode: ControlValue {
  case timed(TimedPasscode)
  case counted(CountedPasscode)

  /// The passcode with its window, if it has one.
  package var timed: TimedPasscode? {
    if case .timed(let passcode) = self { passcode } else { nil }
  }

  /// What is typed where one signs on.
  package var code: String {
    switch self {
    case .timed(let passcode): passcode.current.passcode
    case .counted(let passcode): passcode.passcode
    }
  }

  package static let schema = Schema.named(
    NamedSchema(name: "Passcode", schema: .either(TimedPasscode.schema, CountedPasscode.schema))
  )

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .timed(let passcode): passcode.write(to: &writer)
    case .counted(let passcode): passcode.write(to: &writer)
    }
  }

  package init(reading json: JSON) throws(UnreadableValue) {
    self =
      json["counter"] == nil
      ? .timed(try TimedPasscode(reading: json)) : .counted(try CountedPasscode(reading: json))
  }
}

/// A passcode of RFC 4226, which counts once.
package struct CountedPasscode: ControlObject, Equatable {
  package let account: String
  package let passcode: String
  package let counter: Int

  package init(account: String, passcode: String, counter: Int) {
    (self.account, self.passcode, self.counter) = (account, passcode, counter)
  }

  package static let shape = Shape(
    CountedPasscode.init(account:passcode:counter:),
    .required("account", \.account, as: .identifier, "the account that it is of"),
    .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode, good once"),
    .required("counter", \.counter, "which of the account's passcodes it is")
  )
}
