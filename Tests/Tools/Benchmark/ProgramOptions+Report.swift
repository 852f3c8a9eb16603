internal import Usage

extension ProgramOptions {
  /// Runs `body` with the parsed arguments, prints its result or error, and returns the exit status.
  static func report(_ arguments: [String], _ body: (Self) throws -> String) -> Int32 {
    run(arguments) { options in
      do { return usage.say(try body(options)) } catch {
        usage.complain("\(error)")
        return 1
      }
    }
  }
}

extension Arguments {
  /// Returns the operands, all of which are required.
  func operands(of usage: ProgramUsage) throws(UsageError) -> [String] {
    let names = usage.operands
    guard words.count == names.count else {
      let last = names.last ?? ""
      let others = names.dropLast().joined(separator: ", ")
      throw UsageError(others.isEmpty ? "\(last) is required" : "\(others) and \(last) are required")
    }
    return words
  }
}

extension Int {
  /// Parses a number from 1 to `maximum`.
  init(_ text: String, _ name: String, upTo maximum: Int) throws(UsageError) {
    guard let count = Int(text), (1...maximum).contains(count) else {
      throw UsageError("\(name) must be a number from 1 to \(maximum)")
    }
    self = count
  }
}
