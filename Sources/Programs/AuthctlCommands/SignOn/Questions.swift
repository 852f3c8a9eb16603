internal import ControlClient
internal import JSON

/// The reason why a form ends before its last question.
enum FormExit: Error {
  /// The user chose another option.
  case way(StepAlternative)
  case failure(Failure)
}

/// Asks the user at the terminal.
///
/// A colon and a number choose another option instead of an answer.
struct Questions {
  let terminal: Terminal
  let ways: [StepAlternative]
  /// The receiver of the answers: the value of `--issuer`, else the host of the step.
  var receiver: SafeText?

  func tell(_ text: SafeText) { terminal.show(["  \(text)"]) }

  func line(_ prompt: SafeText, hidden: Bool = false) throws(FormExit) -> String {
    while true {
      let text = try typed(prompt, hidden)
      guard !ways.isEmpty, text.first == ":" else { return text }
      let name = text.dropFirst()
      if let number = Int(name) {
        if ways.indices.contains(number - 1) { throw .way(ways[number - 1]) }
        tell("there is no option :\(number)")
        continue
      }
      // `::1` is the literal answer `:1`, not a choice.
      return name.first == ":" && Int(name.dropFirst()) != nil ? String(name) : text
    }
  }

  /// Asks until the answer is valid.
  ///
  /// An empty answer means the default, or keeps the field unchanged.
  func answer(
    _ field: FormField,
    _ prompt: SafeText,
    hidden: Bool = false,
    wrong: SafeText = "not a valid answer",
    _ value: (String) -> JSON?
  ) throws(FormExit) -> JSON? {
    while true {
      let text = try line(prompt, hidden: hidden)
      if !text.isEmpty {
        if let value = value(text) { return value }
        tell(wrong)
      } else if field.preset != nil || !field.isRequired {
        return field.preset
      } else {
        tell("an answer is required")
      }
    }
  }

  func way(default preset: Int?) throws(FormExit) -> StepAlternative {
    terminal.showRows(StepAlternative.list(ways, areAsked: true))
    let suffix: SafeText = preset.map { " [\($0 + 1)]" } ?? ""
    let prompt: SafeText = "choose\(suffix)"
    while true {
      let text = try line(prompt)
      if text.isEmpty, let preset { return ways[preset] }
      if let number = Int(text), ways.indices.contains(number - 1) { return ways[number - 1] }
      if let way = ways.first(where: { $0.label.text.lowercased() == text.lowercased() }) { return way }
      if !text.isEmpty { tell("enter a number of the list") }
    }
  }

  private func typed(_ prompt: SafeText, _ hidden: Bool) throws(FormExit) -> String {
    let line: String?
    do throws(Failure) { line = hidden ? try terminal.askHidden(prompt) : try terminal.ask(prompt) } catch {
      throw .failure(error)
    }
    guard let line else { throw .failure(.inputEnded) }
    return line
  }
}

extension Failure {
  /// Standard input ended during the sign-on.
  static let inputEnded = Failure.local(.cancelled, inputEndedMessage)

  static let inputEndedMessage: SafeText = "input ended before the sign-on was complete"
}
