internal import Usage

extension ProgramUsage where Values: ProgramOptions {
  /// Does what the arguments ask for, and prints what came of it or why nothing did; returns the exit status.
  func report(_ arguments: [String], _ body: (Values) throws -> String) -> Int32 {
    run(arguments) { options in
      do { return say(try body(options)) } catch {
        complain("\(error)")
        return 1
      }
    }
  }
}
