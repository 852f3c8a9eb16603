internal import ControlClient
internal import JSON
internal import Usage

/// Answers from a program, as lines of JSON on standard input, and from the command line.
final class ProgramAnswers: AnswerSource {
  private let session: Session
  private var given: GivenAnswers
  /// A line that was read while a step waited, for a later step.
  private var kept: AnswerLine?
  private var isAtEnd = false
  private var shown: DialogueStep?

  init(_ session: Session, _ given: GivenAnswers) {
    self.session = session
    self.given = given
  }

  func input(for step: DialogueStep, again: Bool) throws(Failure) -> DialogueInput {
    try show(step)
    let values = try given.take(for: step)
    let isWhole = step.questions.allSatisfy { values[$0.key] != nil || !$0.wantsAnswer }
    let isClear =
      !step.wantsAddress && (step.questions.isEmpty ? step.actions.count <= 1 : step.hasDefaultAction)
    if isWhole, isClear, !again {
      return .next(values: values, action: step.hasDefaultAction ? nil : step.actions.first?.key)
    }
    // `--yes` also accepts a pairing that the server offers as an action.
    if isWhole, session.arguments.has("--yes"), let key = step.pairingAction {
      return .next(values: values, action: key)
    }
    guard let line = try next() else {
      // The server would refuse the same answers again.
      throw again && isWhole && isClear ? SignOnDialogue.failed(step.node) : .unanswered(step, values)
    }
    return line.input(with: values)
  }

  // MARK: Steps that wait

  func watch(_ step: DialogueStep) throws(Failure) {
    guard shown?.looks(like: step) != true else { return }
    try show(step)
  }

  var descriptor: Int32 { kept == nil && !isAtEnd ? session.input.number : -1 }

  func inputWhileWaiting(_ step: DialogueStep, elapsed: Duration) throws(Failure) -> DialogueInput? {
    if kept == nil, !isAtEnd {
      switch try session.input.next(until: .after(.zero)) {
      case .line(let text): kept = try AnswerLine(text)
      case .nothing: return nil
      case .end: isAtEnd = true
      }
    }
    guard let line = kept, line.isMeant(for: step) else { return nil }
    kept = nil
    return line.input(with: [:])
  }

  func tick(elapsed: Duration) {}

  func clearProgress() {}

  // MARK: Lines

  private func next() throws(Failure) -> AnswerLine? {
    if let line = kept {
      kept = nil
      return line
    }
    while let text = try session.input.line() {
      if !text.isEmpty { return try AnswerLine(text) }
    }
    isAtEnd = true
    return nil
  }

  private func show(_ step: DialogueStep) throws(Failure) {
    shown = step
    guard !session.output.asJSON else { return try session.output.line(SafeText(step.reply.json)) }
    for text in step.message.map(Markup.lines) ?? [] { session.output.note(text) }
    for field in step.questions {
      if let problem = field.problem { session.output.note("\(field.key): \(problem)") }
    }
    if let address = step.browserURL { session.output.note("open \(address) in a browser") }
    guard step.waits || step.wantsAddress else { return }
    for notice in step.fields.filter({ $0.prompt.ask == nil }).flatMap(\.notices) {
      switch notice {
      case .text(let text), .row(let text): session.output.note(text)
      case .address(let address): session.output.note("\(address)")
      }
    }
  }
}

extension Failure {
  /// The error of an input that ended before a step was answered, with a hint about the missing line.
  fileprivate static func unanswered(_ step: DialogueStep, _ values: JSONObject) -> Failure {
    let open = step.questions.filter { values[$0.key] == nil && $0.wantsAnswer }.map(\.name)
    let names = (open.isEmpty ? step.actions.map { "\"\($0.key)\"" } : open).joined(separator: ", ")
    let given = values.names.map { "\"\($0)\"" as SafeText }.joined(separator: ", ")
    let besides: SafeText = values.isEmpty ? "" : " besides \(given)"
    let hint: SafeText =
      step.wantsAddress
      ? "a line must give the address as \"uri\""
      : open.isEmpty
        ? "a line must name an \"action\" of \(names)" : "\"values\" must contain \(names)\(besides)"
    // The error of the previous answers explains why others are required.
    let problem: SafeText = step.isRepeated ? step.message.map { "\(Markup.line($0)); " } ?? "" : ""
    return .local(.cancelled, "\(problem)\(inputEndedMessage)", hint: hint)
  }
}

extension FormField {
  /// The key, with the label if the label adds something.
  fileprivate var name: SafeText {
    label == RawName.words(key) || label.text == "choose" ? "\"\(key)\"" : "\"\(key)\" (\(label))"
  }

  /// True if the step probably requires an answer to this field.
  fileprivate var wantsAnswer: Bool {
    isRequired || (preset == nil && Prompt.byType[type] != nil)
  }
}
