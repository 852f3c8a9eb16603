internal import ControlClient
internal import JSON

/// Why a form is left before its last question.
enum Leaving: Error {
  /// The person goes another way.
  case way(Way)
  case failure(Failure)
}

/// Asks the person at the terminal; whoever goes another way instead types its number after a colon.
struct Questions {
  let terminal: Terminal
  let ways: [Way]
  /// Who gets the answers: as the person named them, else as the step does.
  var receiver: SafeText?

  func tell(_ text: SafeText) { terminal.show(["  \(text)"]) }

  func line(_ prompt: SafeText, hidden: Bool = false) throws(Leaving) -> String {
    while true {
      let text = try typed(prompt, hidden)
      guard !ways.isEmpty, text.first == ":" else { return text }
      let name = text.dropFirst()
      if let number = Int(name) {
        if ways.indices.contains(number - 1) { throw .way(ways[number - 1]) }
        tell("there is no option :\(number)")
        continue
      }
      // A second colon makes it an answer.
      return name.first == ":" && Int(name.dropFirst()) != nil ? String(name) : text
    }
  }

  /// Asks until the answer is a value; an empty one means the default, or that the field stays as it is.
  func answer(
    _ field: FormField,
    _ prompt: SafeText,
    hidden: Bool = false,
    wrong: SafeText = "not a valid answer",
    _ value: (String) -> JSON?
  ) throws(Leaving) -> JSON? {
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

  func way(default preset: Int?) throws(Leaving) -> Way {
    terminal.showRows(Way.list(ways, areAsked: true))
    let suffix: SafeText = preset.map { " [\($0 + 1)]" } ?? ""
    let prompt: SafeText = "choose\(suffix)"
    while true {
      let text = try line(prompt)
      if text.isEmpty, let preset { return ways[preset] }
      if let number = Int(text), ways.indices.contains(number - 1) { return ways[number - 1] }
      if let way = ways.first(where: { $0.label.text.lowercased() == text.lowercased() }) { return way }
      if !text.isEmpty { tell("a number of the list, please") }
    }
  }

  private func typed(_ prompt: SafeText, _ hidden: Bool) throws(Leaving) -> String {
    let line: String?
    do throws(Failure) { line = hidden ? try terminal.askHidden(prompt) : try terminal.ask(prompt) } catch {
      throw .failure(error)
    }
    guard let line else { throw .failure(.inputEnded) }
    return line
  }
}

extension Failure {
  /// Nobody is there to answer any more.
  static let inputEnded = Failure.local(.cancelled, inputEndedMessage)

  static let inputEndedMessage: SafeText = "input ended before the sign-on was complete"
}
