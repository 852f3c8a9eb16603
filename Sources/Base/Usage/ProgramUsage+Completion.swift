extension ProgramUsage {
  /// What may stand at the end of a command line, whose last word is being typed.
  package func candidates(for words: [String]) -> [Candidate] {
    Completion(words, of: [itself] + (startsWithOption(words) ? [] : commands.map(\.completed))).candidates
  }

  /// A command is one only where it comes first.
  private func startsWithOption(_ words: [String]) -> Bool {
    words.dropLast().first?.hasPrefix("-") ?? false
  }

  private var itself: CompletedCommand {
    CompletedCommand([], summary, options.map(\.usage)) { _ in
      operands.first?.choices.map { Candidate($0) } ?? []
    }
  }
}

extension ProgramCommand {
  fileprivate var completed: CompletedCommand {
    CompletedCommand([name], summary, options) { _ in choices.map { Candidate($0) } }
  }
}
