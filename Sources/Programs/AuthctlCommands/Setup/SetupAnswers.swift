internal import Configuration
internal import ControlClient
internal import WebAddress

/// Asks the questions of a plan, and checks each answer before the next question.
struct SetupAnswers {
  private let session: Session
  private let terminal: Terminal
  /// The lines of the present file that stay.
  private let kept: [String]
  private let standing: Configuration
  /// The answers as lines of the configuration file.
  private(set) var lines: [String] = []

  private static let loopbackLine = "allow_loopback_http = yes"

  init(_ session: Session, _ terminal: Terminal, kept: [String], _ standing: Configuration) {
    (self.session, self.terminal, self.kept, self.standing) = (session, terminal, kept, standing)
  }

  mutating func ask(_ questions: [SetupQuestion]) throws(Failure) {
    for question in questions { try ask(question) }
    if questions.contains(where: { $0.key == SetupQuestion.clientID.key }) { try checkClient() }
  }

  private mutating func ask(_ question: SetupQuestion) throws(Failure) {
    terminal.explain([""] + question.explanation)
    let standard: SafeText = question.standard.map { $0.isEmpty ? "" : " [\($0)]" } ?? ""
    while let typed = try terminal.ask("\(question.key)\(standard)") {
      let answer = typed.isEmpty ? question.standard ?? "" : try completed(typed, question)
      if answer.isEmpty, question.standard != nil { return }
      if let problem = try problem(with: answer, question) {
        terminal.explain(["\(question.key): \(problem)"])
      } else if try isThere(answer, question) {
        return lines.append("\(question.key) = \(answer)")
      }
    }
    throw Self.unanswered
  }

  private static var unanswered: Failure {
    .local(.cancelled, "not all questions were answered; nothing was changed")
  }

  /// Returns the issuer of a bare environment id; any other answer with its scheme.
  private func completed(_ typed: String, _ question: SetupQuestion) throws(Failure) -> String {
    guard question.key == SetupQuestion.issuer.key, typed.isEnvironmentID else {
      return question.completed(typed)
    }
    let all = Geography.allCases
    let geography = try session.pick(all, "which geography is this environment in?") { ["\($0.rawValue)"] }
    guard let geography else { throw Self.unanswered }
    return geography.issuer(ofEnvironment: typed)
  }

  /// Returns the error in an answer, validated together with the kept lines and the previous answers.
  ///
  /// Offers to allow http for a server on this machine.
  private mutating func problem(with answer: String, _ question: SetupQuestion) throws(Failure) -> String? {
    guard !answer.isEmpty else { return "a value is required" }
    guard let problem = question.problem(with: answer, after: kept + lines) else { return nil }
    guard question.problem(with: answer, after: kept + lines + [Self.loopbackLine]) == nil else {
      return problem
    }
    terminal.explain([
      "Only a server on this machine may use http, such as pingone-sandbox for tests.",
      "The line \"\(Self.loopbackLine)\" allows it.",
    ])
    guard try terminal.confirm("add this line?") else { return problem }
    lines.append(Self.loopbackLine)
    return nil
  }

  private func isThere(_ answer: String, _ question: SetupQuestion) throws(Failure) -> Bool {
    guard let path = question.probe else { return true }
    let base = answer.droppingLastSlash
    switch try AddressProbe.ask(base + path, by: standing, session.waiter) {
    case .there:
      terminal.explain(["the server responds"])
      return true
    case .untried:
      terminal.explain(["not checked, because curl is not installed"])
      return true
    case .wrong(let problem):
      terminal.explain(["\(base)\(path): \(problem)"])
      return try terminal.confirm("use it anyway?")
    }
  }

  /// Asks for the client and its redirect URI again until the issuer accepts them or the user insists.
  private mutating func checkClient() throws(Failure) {
    while true {
      let text = (kept + lines).joined(separator: "\n")
      guard let configuration = try? Configuration(parsing: text, file: ""),
        let issuer = configuration.issuers.first
      else { return }
      switch try ClientProbe.ask(configuration, at: issuer, session.waiter) {
      case .there: return terminal.explain(["the issuer accepts client_id and redirect_uri"])
      case .untried: return terminal.explain(["client_id and redirect_uri were not checked"])
      case .wrong(let problem):
        terminal.explain(["the issuer refuses client_id or redirect_uri: \(problem)"])
      }
      guard try !terminal.confirm("use them anyway?") else { return }
      let questions = [SetupQuestion.clientID, .redirectURI].map { $0.offering(lines) }
      lines.removeAll { line in questions.contains { line.hasPrefix("\($0.key) = ") } }
      for question in questions { try ask(question) }
    }
  }
}

extension String {
  /// True if this is the id of an environment of PingOne: a UUID.
  fileprivate var isEnvironmentID: Bool {
    split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
      && allSatisfy { $0 == "-" || ($0.isASCII && $0.isHexDigit) }
  }
}
