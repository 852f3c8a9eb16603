internal import ControlClient

/// What stands on the command line after the command's name.
package struct Arguments: Sendable, Equatable {
  /// What is no option, in its order.
  package internal(set) var words: [String] = []
  var options: [String: [String]] = [:]

  /// The value of an option that takes one.
  package subscript(_ name: String) -> String? { options[name]?.last }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { options[name] != nil }

  /// The values of an option that can be repeated.
  package func all(_ name: String) -> [String] { options[name] ?? [] }

  /// The limit that was given for waiting.
  var timeout: Duration? {
    get throws(Failure) {
      guard let text = self["--timeout"] else { return nil }
      guard let seconds = Double(text), seconds > 0, seconds <= 1_000_000 else {
        throw .local(.usage, "--timeout takes a number of seconds greater than 0, not \"\(text)\"")
      }
      return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
  }
}
