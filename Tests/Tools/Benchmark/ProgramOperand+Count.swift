internal import Usage

extension ProgramOperand {
  /// A number of things, of which there is one at least.
  static func count(
    _ name: String,
    upTo maximum: Int,
    _ place: ProgramOption<Values>.Place<Int>
  ) -> ProgramOperand {
    ProgramOperand(name) { (options, text) throws(UsageError) in
      guard let count = Int(text), (1...maximum).contains(count) else {
        throw UsageError("\(name) is a number from 1 to \(maximum)")
      }
      options[keyPath: place] = count
    }
  }
}
