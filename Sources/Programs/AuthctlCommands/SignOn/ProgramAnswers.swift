internal import JSON

/// A program that answers by lines of JSON on standard input, and by what was given before.
final class ProgramAnswers: Respondent {
  private let session: Session
  private var given: GivenAnswers
  /// A line that was read while a step waited and is for a later one.
  private var kept: AnswerLine?
  private var isAtEnd = false
  private var shown: Node?

  init(_ session: Session, _ given: GivenAnswers) {
    self.session = session
    self.given = given
  }

  func reply(to node: Node, again: Bool) throws(Failure) -> Reply {
    try show(node)
    let values = try given.take(for: node)
    let isWhole = node.fields.allSatisfy { values[$0.key] != nil || !$0.wantsAnswer }
    let isClear =
      !node.wantsAddress && (node.fields.isEmpty ? node.actions.count <= 1 : node.hasDefaultAction)
    if isWhole, isClear, !again {
      return .next(values: values, action: node.hasDefaultAction ? nil : node.actions.first?.key)
    }
    // Who pairs without asking also pairs where the server asks.
    if isWhole, session.arguments.has("--yes"), let key = node.pairingAction {
      return .next(values: values, action: key)
    }
    guard let line = try next() else {
      // The same answers again would be refused again.
      throw again && isWhole && isClear ? SignOnDialogue.failed(node) : .unanswered(node, values)
    }
    return line.reply(with: values)
  }

  // MARK: Steps that wait

  func watch(_ node: Node) throws(Failure) {
    guard shown?.looks(like: node) != true else { return }
    try show(node)
  }

  var descriptor: Int32 { kept == nil && !isAtEnd ? session.input.number : -1 }

  func meanwhile(_ node: Node, elapsed: Duration) throws(Failure) -> Reply? {
    if kept == nil, !isAtEnd {
      switch try session.input.readyLine() {
      case .line(let text): kept = try AnswerLine(text)
      case .nothing: return nil
      case .end: isAtEnd = true
      }
    }
    guard let line = kept, line.isMeant(for: node) else { return nil }
    kept = nil
    return line.reply(with: [:])
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

  private func show(_ node: Node) throws(Failure) {
    shown = node
    guard !session.output.asJSON else { return try session.output.line(SafeText(node.json)) }
    for text in node.message.map(Markup.lines) ?? [] { session.output.note(text) }
    for field in node.fields {
      if let problem = field.problem { session.output.note("\(field.key): \(problem)") }
    }
    if let address = node.browserURL { session.output.note("open \(address) in a browser") }
    guard node.waits || node.wantsAddress else { return }
    for notice in node.collectors.filter({ $0.prompt.ask == nil }).flatMap(\.notices) {
      switch notice {
      case .text(let text): session.output.note(text)
      case .address(let address): session.output.note("\(address)")
      }
    }
  }
}

extension Failure {
  /// Input ended before a step was answered; a hint says with what a line would have.
  fileprivate static func unanswered(_ node: Node, _ values: JSONObject) -> Failure {
    let open = node.fields.filter { values[$0.key] == nil && $0.wantsAnswer }.map(\.key)
    let keys = open.isEmpty ? node.actions.map(\.key) : open
    let names = keys.map { "\"\($0)\"" as SafeText }.joined(separator: ", ")
    let hint: SafeText =
      node.wantsAddress
      ? "a line has to give the address as \"uri\""
      : open.isEmpty ? "a line has to name an \"action\" of \(names)" : "\"values\" has to have \(names)"
    return .local(.cancelled, inputEndedMessage, hint: hint)
  }
}

extension Node {
  /// Whether it goes on without naming an action.
  var hasDefaultAction: Bool { actions.isEmpty || actions.contains(where: \.isSubmit) }
}

extension Collector {
  /// Whether a step cannot be answered without it, as far as is known.
  fileprivate var wantsAnswer: Bool {
    isRequired || (preset == nil && json["required"] == nil && Prompt.byType[type] != nil)
  }
}
