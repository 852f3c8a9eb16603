import Usage

extension Int {
  /// The number that an option is given.
  init(_ text: String, for option: String) throws(UsageError) {
    guard let number = Int(text) else { throw UsageError("\(option) takes a number, not \"\(text)\"") }
    self = number
  }
}
