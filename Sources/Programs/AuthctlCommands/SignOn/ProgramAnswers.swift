internal import ControlClient
internal import JSON
internal import Usage

/// A program that answers by lines of JSON on standard input, and by what was given before.
final class ProgramAnswers: Respondent {
  private let session: Session
  private var given: GivenAnswers
  /// A line that was read while a step waited and is for a later one.
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
    // Who pairs without asking also pairs where the server asks.
    if isWhole, session.arguments.has("--yes"), let key = step.pairingAction {
      return .next(values: values, action: key)
    }
    guard let line = try next() else {
      // The same answers again would be refused again.
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

  func meanwhile(_ step: DialogueStep, elapsed: Duration) throws(Failure) -> DialogueInput? {
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

  func rest() {}

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
  /// Input ended before a step was answered; a hint says with what a line would have.
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
    // What was wrong with the answers before is why there should have been others.
    let problem: SafeText = step.isRepeated ? step.message.map { "\(Markup.line($0)); " } ?? "" : ""
    return .local(.cancelled, "\(problem)\(inputEndedMessage)", hint: hint)
  }
}

extension FormField {
  /// The key, and what a person would call it where that tells more.
  fileprivate var name: SafeText {
    label == RawName.words(key) || label.text == "choose" ? "\"\(key)\"" : "\"\(key)\" (\(label))"
  }

  /// Whether a step cannot be answered without it, as far as is known.
  fileprivate var wantsAnswer: Bool {
    isRequired || (preset == nil && Prompt.byType[type] != nil)
  }
}
