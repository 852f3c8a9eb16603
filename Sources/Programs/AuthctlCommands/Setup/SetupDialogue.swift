internal import Configuration
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import Usage
internal import WebAddress

/// Asks, explains, tries, writes, and goes on to a first passcode or pairing.
struct SetupDialogue {
  private let session: Session
  private let terminal: Terminal

  init(_ session: Session, _ terminal: Terminal) { (self.session, self.terminal) = (session, terminal) }

  func run() throws(Failure) {
    terminal.explain([
      "This makes this machine an authenticator. Nothing is written before you say so, and Ctrl-C ends it."
    ])
    let plan = try session.pick(SetupPlan.allCases, "what for?") { [$0.title] }
    guard let plan else { throw given(up: "nothing was chosen") }
    if try isServed() {
      terminal.explain(["The service of this machine is root's to configure, by \"sudo authctl setup\"."])
    } else if !plan.questions.isEmpty {
      try configure(plan)
    }
    try begin(plan)
  }

  /// Whether the daemon is that of the machine, whose configuration is not this user's.
  private func isServed() throws(Failure) -> Bool {
    guard geteuid() != 0, session.arguments["--config"] == nil, let system = session.sockets.systemPath else {
      return false
    }
    if access(system, R_OK | W_OK) == 0 { return true }
    guard errno == EACCES else { return false }
    terminal.explain([
      """
      This machine has a service that you may not use yet: members of the group mfad-users may, once they have signed
      in again ("sudo usermod -aG mfad-users $USER"). What you have with a daemon of your own it does not know.
      """
    ])
    guard try terminal.confirm("set up a daemon of your own all the same?") else {
      throw given(up: "not set up")
    }
    return false
  }

  private func given(up what: SafeText) -> Failure { .local(.cancelled, "\(what); nothing was changed") }

  private func configure(_ plan: SetupPlan) throws(Failure) {
    let file = try ConfigurationFile(session.arguments["--config"])
    let before = try file.before
    let (kept, replaced) = Self.parted(before ?? "", by: plan.questions.map(\.key))
    let standing = try Self.configuration(kept, in: file)
    var lines: [String] = []
    for question in plan.questions {
      // What was set before, and is not asked about, counts too.
      let answer = try answer(to: question, after: kept + lines, standing)
      if !answer.isEmpty { lines.append("\(question.key) = \(answer)") }
    }
    terminal.explain(["", "\(file.path) is to say:"] + lines.map { "  \($0)" } + [""])
    if before != nil {
      if !kept.isEmpty { terminal.explain(["and goes on to say:"] + kept.map { "  \($0)" } + [""]) }
      let gone = replaced.filter { !lines.contains($0) }
      if !gone.isEmpty { terminal.explain(["and no longer:"] + gone.map { "  \($0)" } + [""]) }
      lines += kept
      let place = file.path
      terminal.explain(["\(place) is there already."])
      guard try terminal.confirm("replace it, and keep it as \(place).before?") else {
        throw given(up: "not written")
      }
    } else {
      guard try terminal.confirm("write it?") else { throw given(up: "not written") }
    }
    try file.write(lines)
    terminal.explain(["written"])
    try serve(file)
  }

  /// What was set before and is not asked about here, and what is.
  private static func parted(_ before: String, by keys: [String]) -> (kept: [String], replaced: [String]) {
    var (kept, replaced) = ([String](), [String]())
    for line in before.split(whereSeparator: \.isNewline).map(String.init) {
      let name = line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }
      guard !name.isEmpty, !name.hasPrefix("#") else { continue }
      if keys.contains(name) { replaced.append(line) } else { kept.append(line) }
    }
    return (kept, replaced)
  }

  /// What goes on to count; of what is wrong in it no answer is to blame.
  private static func configuration(
    _ kept: [String],
    in file: ConfigurationFile
  ) throws(Failure) -> Configuration {
    do { return try Configuration(parsing: kept.joined(separator: "\n"), file: file.path) } catch {
      throw .local(
        .usage,
        "\(file.path): \(error.problem)",
        hint: "repair that line, or move the file away and begin anew"
      )
    }
  }

  private func answer(
    to question: SetupQuestion,
    after lines: [String],
    _ standing: Configuration
  ) throws(Failure) -> String {
    terminal.explain([""] + question.explanation)
    let standard: SafeText = question.standard.map { $0.isEmpty ? "" : " [\($0)]" } ?? ""
    while let typed = try terminal.ask("\(question.key)\(standard)") {
      let answer = typed.isEmpty ? question.standard ?? "" : typed
      if answer.isEmpty, question.standard != nil { return "" }
      if let problem = answer.isEmpty ? "it is needed" : question.problem(with: answer, after: lines) {
        terminal.explain(["\(question.key): \(problem)"])
      } else if try isThere(answer, question, standing) {
        return answer
      }
    }
    throw given(up: "not all was answered")
  }

  private func isThere(
    _ answer: String,
    _ question: SetupQuestion,
    _ standing: Configuration
  ) throws(Failure) -> Bool {
    guard let path = question.probe else { return true }
    let base = answer.droppingLastSlash
    switch try AddressProbe.ask(base + path, by: standing, session.waiter) {
    case .there:
      terminal.explain(["it is there"])
      return true
    case .untried:
      terminal.explain(["not tried, since curl is not installed"])
      return true
    case .wrong(let what):
      terminal.explain(["\(base)\(path): \(what)"])
      return try terminal.confirm("take it all the same?")
    }
  }

  /// Goes on once the daemon serves by what was written.
  private func serve(_ file: ConfigurationFile) throws(Failure) {
    var isStarted = try isStartedAgain(file)
    while true {
      if !isStarted, try terminal.ask("press Enter when that is done") == nil {
        throw .local(.cancelled, "written only", hint: "\"authctl status\" says what is next")
      }
      let code = try session.perform([Command.doctor.name])
      if code == .done { return }
      terminal.explain(["Something is wrong still, as is said above."])
      isStarted = false
    }
  }

  /// Starts it again, where that is wanted and the service manager can be asked.
  private func isStartedAgain(_ file: ConfigurationFile) throws(Failure) -> Bool {
    let manager = UnitManager.own
    terminal.explain(["", "The daemon reads it when it is started again:"])
    guard file.isStandard else {
      terminal.explain(["  mfad --config \(file.path)"])
      return false
    }
    terminal.explain(["  \(manager.restartLine)"])
    let units = try UnitState.all(of: manager, session.waiter) ?? []
    guard units.contains(where: { $0.name == "mfad.service" && $0.isInstalled }) else {
      terminal.explain([
        "But systemd offers no mfad.service here: start \"mfad\" in another terminal instead."
      ])
      return false
    }
    guard try terminal.confirm("do that now?") else { return false }
    guard let words = try manager.startDaemonAgain(session.waiter) else { return true }
    terminal.explain([
      "It did not start: \(words)", "\"\(manager.journal) -e -u mfad.service\" says more.",
    ])
    return false
  }

  private func begin(_ plan: SetupPlan) throws(Failure) {
    // What root makes here would be root's.
    if geteuid() == 0, let user = ProcessEnvironment.value("SUDO_USER"), user != "root" {
      return terminal.explain([
        "", "Go on as \(user), whose authenticator it is to be, after signing in again if the group is new:",
        "  authctl setup",
      ])
    }
    if plan == .gateway {
      let all = Geography.allCases
      let geography = try session.pick(all, "where is your PingOne?") { ["\($0.rawValue)"] }
      guard let geography else { throw given(up: "no geography was chosen") }
      try go(on: [Command.configure.name, geography.rawValue])
    }
    if plan == .journeys || plan == .codes {
      terminal.explain(["", "Paste the address that the QR code holds (otpauth:…, pushauth:… or mfauth:…)."])
    } else {
      terminal.explain(["", "Sign on, so that this machine becomes yours."])
    }
    try go(on: plan.beginning)
    terminal.explain(["", "A first passcode:"])
    try go(on: [Command.otp.name])
  }

  private func go(on words: [String]) throws(Failure) {
    let code = try session.perform(words)
    guard code == .done else { throw .told(code) }
  }
}
