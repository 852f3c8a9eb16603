internal import Usage

extension ProgramOptions {
  /// Does what the arguments ask for, and prints what came of it or why nothing did; returns the exit status.
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
  /// The words that the usage names, all of which are needed.
  func operands(of usage: ProgramUsage) throws(UsageError) -> [String] {
    let names = usage.operands
    guard words.count == names.count else {
      let last = names.last ?? ""
      let others = names.dropLast().joined(separator: ", ")
      throw UsageError(others.isEmpty ? "\(last) is needed" : "\(others) and \(last) are needed")
    }
    return words
  }
}

extension Int {
  /// A number of things, of which there is one at least.
  init(_ text: String, _ name: String, upTo maximum: Int) throws(UsageError) {
    guard let count = Int(text), (1...maximum).contains(count) else {
      throw UsageError("\(name) is a number from 1 to \(maximum)")
    }
    self = count
  }
}
