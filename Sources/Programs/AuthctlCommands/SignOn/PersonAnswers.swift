internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Usage

/// Answers from the user at the terminal.
///
/// Each step is a form to fill in.
final class PersonAnswers: AnswerSource {
  private let session: Session
  private let terminal: Terminal
  private var given: GivenAnswers
  private var last = LastAnswers()
  private var watched: DialogueStep?
  private var shown: DialogueStep?
  /// The option that the user chose instead of an answer, and its step.
  private var chosen: (way: SafeText, step: DialogueStep)?
  private lazy var spinner = Spinner(terminal)
  private lazy var pages = Pages(terminal)

  init(_ session: Session, _ terminal: Terminal, _ given: GivenAnswers) {
    self.session = session
    self.terminal = terminal
    self.given = given
  }

  func input(for step: DialogueStep, again: Bool) throws(Failure) -> DialogueInput {
    watched = nil
    // A refused choice had no effect.
    if again { chosen = nil }
    introduce(step)
    return try leaving { () throws(FormExit) in
      step.wantsAddress ? try self.address(for: step) : try self.form(step, again: again)
    }
  }

  // MARK: Questions

  private func form(_ step: DialogueStep, again: Bool) throws(FormExit) -> DialogueInput {
    let values = try values(for: step, again: again)
    return .next(values: values, action: try action(for: step))
  }

  private func values(for step: DialogueStep, again: Bool) throws(FormExit) -> JSONObject {
    var values: JSONObject
    do throws(Failure) { values = try given.take(for: step) } catch { throw .failure(error) }
    let isOpen = step.questions.contains { again || values[$0.key] == nil }
    let receiver = session.arguments["--issuer"].map { "\($0)" as SafeText } ?? step.host
    let questions = Questions(
      terminal: terminal,
      ways: isOpen ? StepAlternative.besides(step) : [],
      receiver: receiver
    )
    var hasAsked = false
    for var field in step.fields {
      guard let ask = field.prompt.ask, !field.key.isEmpty else {
        terminal.show(field.notices)
        continue
      }
      let known = values[field.key]
      if known != nil, !again {
        last.remember(known, to: field)
        continue
      }
      if !hasAsked { offer(questions.ways, "other options:") }
      hasAsked = true
      if let problem = field.problem { questions.tell(problem) }
      terminal.show(field.notices)
      let offered = last.offer(for: field, again: again)
      if !field.isSecret { field.preset = again ? offered ?? known ?? field.preset : field.preset ?? offered }
      values[field.key] = try ask(field, questions)
      last.remember(values[field.key], to: field)
    }
    return values
  }

  /// Shows the heading of a step, after an empty line.
  private func introduce(_ step: DialogueStep) {
    if shown != nil { terminal.show([""]) }
    terminal.beginPage()
    if shown == nil, let host = step.host { terminal.show(["signing on at \(host)"]) }
    shown = step
    tellOfChoice(at: step)
    terminal.show(step.heading)
    terminal.show(step.message.map(Markup.lines) ?? [])
  }

  /// Reports that a choice led to the same page.
  ///
  /// Without this, a user that requested another code sees no reaction.
  private func tellOfChoice(at step: DialogueStep) {
    guard let (way, before) = chosen else { return }
    chosen = nil
    if step.asksTheSame(as: before) { terminal.show(["after \"\(way)\" the same page came again"]) }
  }

  private func offer(_ ways: [StepAlternative], _ introduction: SafeText) {
    guard !ways.isEmpty else { return }
    terminal.show([introduction])
    terminal.showRows(StepAlternative.list(ways, areAsked: false))
  }

  /// Returns the action for a completed form; `nil` for its only submit action.
  private func action(for step: DialogueStep) throws(FormExit) -> String? {
    if session.arguments.has("--yes"), let key = step.pairingAction { return key }
    let submits = step.actions.filter(\.isSubmit)
    if step.questions.isEmpty {
      let ways = StepAlternative.all(of: step)
      if ways.count < 2 {
        try goOn(step)
        return step.hasDefaultAction ? nil : step.actions.first?.key
      }
      let preset = step.actions.firstIndex(where: \.isSubmit)
      throw .way(try Questions(terminal: terminal, ways: ways).way(default: preset))
    }
    let choices = submits.isEmpty ? step.actions : submits
    guard choices.count > 1 || (submits.isEmpty && !choices.isEmpty) else { return nil }
    let ways = choices.map { StepAlternative(label: $0.label, kind: .action($0.key)) }
    let preset = submits.isEmpty && choices.count > 1 ? nil : 0
    let way = try Questions(terminal: terminal, ways: ways).way(default: preset)
    guard case .action(let key) = way.kind else { return nil }
    return key
  }

  /// Waits for Enter, so that the user can read a step without questions.
  private func goOn(_ step: DialogueStep) throws(FormExit) {
    let isRead = !step.heading.isEmpty || step.fields.contains { !$0.notices.isEmpty }
    guard isRead || !step.hasDefaultAction else { return }
    let label: SafeText = step.actions.first.map { " for \"\($0.label)\"" } ?? ""
    _ = try Questions(terminal: terminal, ways: []).line("Enter\(label)")
  }

  private func address(for step: DialogueStep) throws(FormExit) -> DialogueInput {
    terminal.show(step.fields.flatMap(\.notices))
    if let address = step.browserURL { pages.show(address, isForCamera: false) }
    let questions = Questions(terminal: terminal, ways: StepAlternative.all(of: step))
    offer(questions.ways, "instead of an address you can type")
    let prompt: SafeText =
      step.browserURL == nil ? "address of the link in the e-mail" : "address that the browser ends at"
    return try .resume(address: address(questions, prompt))
  }

  private func address(_ questions: Questions, _ prompt: SafeText) throws(FormExit) -> String {
    while true {
      let text = try questions.line(prompt)
      if text.isAddress { return text }
      if !text.isEmpty { questions.tell("not an address") }
    }
  }

  // MARK: Other ways

  private func leaving(_ ask: () throws(FormExit) -> DialogueInput) throws(Failure) -> DialogueInput {
    do throws(FormExit) { return try ask() } catch {
      switch error {
      case .failure(let failure): throw failure
      case .way(let way): return try input(by: way)
      }
    }
  }

  private func input(by way: StepAlternative) throws(Failure) -> DialogueInput {
    switch way.kind {
    case .action(let key):
      chosen = shown.map { (way.label, $0) }
      return .next(values: [:], action: key)
    case .option(let field, let value):
      chosen = shown.map { (way.label, $0) }
      return .next(values: [field: value], action: nil)
    case .page(let page):
      pages.open(page)
      return try leaving { () throws(FormExit) in
        let questions = Questions(terminal: self.terminal, ways: [])
        return try .resume(address: self.address(questions, "address that the browser ends at"))
      }
    case .questions:
      guard let step = watched else { return .next(values: [:], action: nil) }
      return try leaving { () throws(FormExit) in try self.form(step, again: false) }
    }
  }

  // MARK: Steps that wait

  func watch(_ step: DialogueStep) {
    guard watched?.looks(like: step) != true else { return tellOfChoice(at: step) }
    watched = step
    introduce(step)
    terminal.show(step.fields.filter { $0.prompt.ask == nil }.flatMap(\.notices))
    if let address = step.browserURL {
      if step.node.method == .redirect {
        pages.open(address)
      } else {
        pages.show(address, isForCamera: !step.endsAtAddress)
      }
      if step.endsAtAddress {
        terminal.show(["if the browser ends at a page that cannot be opened, paste its address here"])
      }
    }
    offer(StepAlternative.whileWaiting(step), "while this waits you can type")
  }

  var descriptor: Int32 { terminal.number }

  func inputWhileWaiting(_ step: DialogueStep, elapsed: Duration) throws(Failure) -> DialogueInput? {
    guard try terminal.hasLine() else { return nil }
    let typed = try terminal.line()
    spinner.clear(typed: typed ?? "")
    guard let line = typed else { throw .inputEnded }
    let ways = StepAlternative.whileWaiting(step)
    let text = line.drop { $0 == ":" || $0 == " " }
    if let number = Int(text), ways.indices.contains(number - 1) { return try input(by: ways[number - 1]) }
    if line.isAddress { return .resume(address: line) }
    if !line.isEmpty { terminal.show([Self.possible(ways.count, step)]) }
    return nil
  }

  /// Returns the text about the possible input, which is shown after any other input during a wait.
  private static func possible(_ ways: Int, _ step: DialogueStep) -> SafeText {
    let numbers: [SafeText] = ways == 0 ? [] : ways == 1 ? [":1"] : [":1 to :\(ways)"]
    let addresses: [SafeText] = step.takesAddress ? ["the address that the browser ends at"] : []
    let all = numbers + addresses
    guard !all.isEmpty else { return "  nothing can be typed now; Ctrl-C ends the sign-on" }
    return "  now you can type \(all.joined(separator: " or ")); Ctrl-C ends the sign-on"
  }

  func tick(elapsed: Duration) {
    pages.tellFailure { spinner.clear() }
    spinner.turn(elapsed: elapsed)
  }

  func clearProgress() { spinner.clear() }
}
