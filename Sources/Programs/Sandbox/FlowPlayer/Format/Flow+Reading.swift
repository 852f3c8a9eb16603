import JSON

extension Flow {
  private static let lifetimes = 1...86_400

  init(parsing text: [UInt8], file: String) throws(FlowFileError) {
    let json: JSON
    do { json = try JSON(parsing: text) } catch {
      throw FlowFileError(file: file, place: "", reason: Self.reason(error, in: text))
    }
    let scope = FlowScope(file: file)
    var members = try FlowReader(value: json, place: "", scope: scope).members()
    let id = try members.required("id").text()
    guard id.utf8.count <= 64, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw members.failure("id must be at most 64 visible ASCII characters")
    }
    let kind = try FlowKind.read(try members.required("kind"))
    _ = try members.optional("name")?.text()
    _ = try members.optional("description")?.text()
    let seconds = try members.optional("seconds")?.int(Self.lifetimes) ?? 900
    let start = try Self.start(try members.required("start"), kind)
    let always = try Self.rules(members.optional("always"), kind.outcomes)
    let list = try members.required("pages")
    var entries = try list.members()
    var pages: [String: FlowPage] = [:]
    for (name, reader) in entries.rest() { pages[name] = try Self.page(name, reader, kind) }
    try members.end()
    self.init(id: id, kind: kind, seconds: seconds, start: start, always: always, pages: pages)
    try check(scope, list)
  }

  private static func reason(_ error: JSONError, in text: [UInt8]) -> String {
    switch error {
    case .malformed(let offset):
      let before = text.prefix(offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      return "line \(line), column \(column): this is not JSON"
    case .duplicateName: return "an object has the same name twice"
    case .tooDeep: return "it is nested too deep"
    case .tooManyValues(let maximum): return "it has more than \(maximum) JSON values"
    }
  }

  /// Reads the start: the name of the first page, or rules in the format of a page's rules.
  private static func start(_ reader: FlowReader, _ kind: FlowKind) throws(FlowFileError) -> [FlowRule] {
    guard reader.value.string == nil else {
      let page = try reader.target()
      return [FlowRule(actions: [], conditions: [], effects: [], outcome: FlowOutcome { _ in .page(page) })]
    }
    return try rules(reader, kind.outcomes)
  }

  private static func page(_ name: String, _ reader: FlowReader, _ kind: FlowKind) throws(FlowFileError)
    -> FlowPage
  {
    var members = try reader.members()
    let wanted = try members.required("kind")
    let pageName = try wanted.text(of: kind.pages.map(\.name))
    guard let pageKind = kind.pages.first(where: { $0.name == pageName }) else { throw wanted.failure("") }
    let answers = members.optional("answers")
    let challenge = members.optional("challenge")
    let page = FlowPage(
      name: name,
      rendering: try pageKind.read(&members),
      rules: try rules(answers, kind.outcomes),
      challenge: try rules(challenge, kind.challengeOutcomes),
      seconds: try members.optional("seconds")?.int(lifetimes),
      delay: try members.optional("delayMs")?.int(0...120_000) ?? 0,
      cookies: try members.template("cookies") ?? FlowTemplate([]),
      headers: try members.object("headers"),
      isLast: answers == nil && !pageKind.stays
    )
    try members.end()
    guard page.rendering != nil || !page.rules.isEmpty else {
      throw reader.failure("needs the member answers")
    }
    return page
  }

  private static func rules(_ reader: FlowReader?, _ outcomes: [FlowWord<FlowOutcome>]) throws(FlowFileError)
    -> [FlowRule]
  {
    try (reader?.elements() ?? []).map { element throws(FlowFileError) in
      var members = try element.members()
      let conditions = try members.optional("when").map(FlowConditions.read) ?? []
      let effects = try members.optional("do").map(FlowEffects.read) ?? []
      let action = element.value["when"]?["action"]
      let actions = action?.string.map { [$0] } ?? (action?.array ?? []).compactMap(\.string)
      let names = outcomes.map(\.name)
      let given = members.names.filter { names.contains($0) }
      guard given.count == 1, let word = outcomes.first(where: { $0.name == given[0] }) else {
        throw element.failure("needs exactly one of the members \(names.joined(separator: ", "))")
      }
      let outcome = try word.read(try members.required(word.name))
      try members.end()
      return FlowRule(actions: actions, conditions: conditions, effects: effects, outcome: outcome)
    }
  }

  /// Throws if the flow uses an unknown page or a variable that nothing sets, or if nothing leads to a page.
  private func check(_ scope: FlowScope, _ list: FlowReader) throws(FlowFileError) {
    if let (page, place) = scope.targets.first(where: { pages[$0.page] == nil }) {
      throw FlowFileError(file: scope.file, place: place, reason: "there is no page \(page)")
    }
    let reached = Set(scope.targets.map(\.page))
    if let page = pages.keys.sorted().first(where: { !reached.contains($0) }) {
      throw FlowFileError(file: scope.file, place: "\(list.place).\(page)", reason: "nothing leads here")
    }
    let unset = scope.variablesRead.first { !scope.variablesSet.contains($0.name) }
    if let (name, place) = unset {
      throw FlowFileError(file: scope.file, place: place, reason: "nothing sets the variable \(name)")
    }
  }
}
