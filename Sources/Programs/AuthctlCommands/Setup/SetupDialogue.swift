internal import Configuration
internal import ControlClient
internal import Glibc
internal import JSONRPC

/// Asks, explains, tries, writes, and goes on to a first passcode or pairing.
struct SetupDialogue {
  private let session: Session
  private let terminal: Terminal

  init(_ session: Session, _ terminal: Terminal) { (self.session, self.terminal) = (session, terminal) }

  func run() throws(Failure) {
    terminal.show([
      "This makes this machine an authenticator. Nothing is written before you say so, and Ctrl-C ends it."
    ])
    let plan = try session.pick(SetupPlan.allCases, "what for?") { [$0.title] }
    guard let plan else { throw given(up: "nothing was chosen") }
    if isServed {
      terminal.show(["The service of this machine is root's to configure, by \"sudo authctl setup\"."])
    } else if !plan.questions.isEmpty {
      try configure(plan)
    }
    try begin(plan)
  }

  /// Whether the daemon is that of the machine, whose configuration is not this user's.
  private var isServed: Bool {
    guard geteuid() != 0, session.arguments["--config"] == nil, let system = session.sockets.systemPath else {
      return false
    }
    return access(system, R_OK | W_OK) == 0
  }

  private func given(up what: SafeText) -> Failure { .local(.cancelled, "\(what); nothing was changed") }

  private func configure(_ plan: SetupPlan) throws(Failure) {
    let file = try ConfigurationFile(session.arguments["--config"])
    let before = try file.before
    let kept = before.map { Self.kept(of: $0, besides: plan.questions.map(\.key)) } ?? []
    var lines: [String] = []
    for question in plan.questions {
      // What was set before, and is not asked about, counts too.
      let answer = try answer(to: question, after: kept + lines)
      if !answer.isEmpty { lines.append("\(question.key) = \(answer)") }
    }
    terminal.show(["", "\(file.path) is to say:"] + lines.map { "  \($0)" } + [""])
    if before != nil {
      if !kept.isEmpty { terminal.show(["and goes on to say:"] + kept.map { "  \($0)" } + [""]) }
      lines += kept
      let place = file.path
      guard try terminal.confirm("\(place) is there already. Replace it, and keep it as \(place).before?")
      else {
        throw given(up: "not written")
      }
    } else {
      guard try terminal.confirm("write it?") else { throw given(up: "not written") }
    }
    try file.write(lines)
    terminal.show(["written"])
    try serve(file)
  }

  /// What was set before and is not asked about here.
  private static func kept(of before: String, besides keys: [String]) -> [String] {
    before.split(separator: "\n").map(String.init).filter { line in
      let name = line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }
      return !name.isEmpty && !name.hasPrefix("#") && !keys.contains(name)
    }
  }

  private func answer(to question: SetupQuestion, after lines: [String]) throws(Failure) -> String {
    terminal.show([""] + question.explanation)
    let standard: SafeText = question.standard.map { $0.isEmpty ? "" : " [\($0)]" } ?? ""
    while let typed = try terminal.ask("\(question.key)\(standard)") {
      let answer = typed.isEmpty ? question.standard ?? "" : typed
      if answer.isEmpty, question.standard != nil { return "" }
      if let problem = answer.isEmpty ? "it is needed" : question.problem(with: answer, after: lines) {
        terminal.show(["\(question.key): \(problem)"])
      } else if try isThere(answer, question) {
        return answer
      }
    }
    throw given(up: "not all was answered")
  }

  private func isThere(_ answer: String, _ question: SetupQuestion) throws(Failure) -> Bool {
    guard let path = question.probe else { return true }
    let base = answer.hasSuffix("/") ? String(answer.dropLast()) : answer
    switch try AddressProbe.ask(base + path, session.waiter) {
    case .there:
      terminal.show(["it is there"])
      return true
    case .untried:
      terminal.show(["not tried, since curl is not installed"])
      return true
    case .wrong(let what):
      terminal.show(["\(base)\(path): \(what)"])
      return try terminal.confirm("take it all the same?")
    }
  }

  /// Goes on once the daemon serves by what was written.
  private func serve(_ file: ConfigurationFile) throws(Failure) {
    terminal.show(["", "The daemon reads it when it is started again:", "  \(file.restart)"])
    while true {
      guard try terminal.ask("press Enter when that is done") != nil else {
        throw .local(.cancelled, "written only", hint: "\"authctl status\" says what is next")
      }
      let code = try session.perform([Command.doctor.name])
      if code == .done { return }
      terminal.show(["Something is wrong still, as is said above."])
    }
  }

  private func begin(_ plan: SetupPlan) throws(Failure) {
    // What root makes here would be root's.
    if geteuid() == 0, let user = SocketChoice.environment("SUDO_USER"), user != "root" {
      return terminal.show(["", "Go on as \(user), whose authenticator it is to be: authctl setup"])
    }
    if plan == .gateway {
      let all = Geography.allCases
      let geography = try session.pick(all, "where is your PingOne?") { ["\($0.rawValue)"] }
      guard let geography else { throw given(up: "no geography was chosen") }
      try go(on: [Command.configure.name, geography.rawValue])
    }
    if plan == .journeys || plan == .codes {
      terminal.show(["", "Paste the address that the QR code holds (otpauth:…, pushauth:… or mfauth:…)."])
    } else {
      terminal.show(["", "Sign on, so that this machine becomes yours."])
    }
    try go(on: plan.beginning)
    terminal.show(["", "A first passcode:"])
    try go(on: [Command.otp.name])
  }

  private func go(on words: [String]) throws(Failure) {
    let code = try session.perform(words)
    guard code == .done else { throw .told(code) }
  }
}
