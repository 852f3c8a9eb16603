internal import Configuration
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import Usage
internal import WebAddress

/// Asks for the configuration, writes it, and continues to the first passcode or pairing.
struct SetupDialogue {
  private let session: Session
  private let terminal: Terminal

  init(_ session: Session, _ terminal: Terminal) { (self.session, self.terminal) = (session, terminal) }

  func run() throws(Failure) {
    terminal.explain([
      "This sets up this machine as an authenticator. Nothing is written before you confirm; Ctrl-C ends it."
    ])
    let plan = try session.pick(SetupPlan.allCases, "which purpose?") { [$0.title] }
    guard let plan else { throw given(up: "nothing was chosen") }
    if try isServed() {
      terminal.explain(["Only root can configure the service of this machine: \"sudo authctl setup\"."])
    } else if !plan.questions.isEmpty {
      try configure(plan)
    }
    try begin(plan)
  }

  /// Returns true if the user uses the daemon of the machine, which only root can configure.
  private func isServed() throws(Failure) -> Bool {
    guard geteuid() != 0, session.arguments["--config"] == nil, let system = session.sockets.systemPath else {
      return false
    }
    if access(system, R_OK | W_OK) == 0 { return true }
    guard errno == EACCES else { return false }
    terminal.explain([
      """
      This machine has a service that you may not use yet. Members of the group mfad-users may, after they
      have signed in again ("sudo usermod -aG mfad-users $USER"). The service does not know the accounts of
      your own daemon.
      """
    ])
    guard try terminal.confirm("set up your own daemon anyway?") else {
      throw given(up: "not set up")
    }
    return false
  }

  private func given(up problem: SafeText) -> Failure {
    .local(.cancelled, "\(problem); nothing was changed")
  }

  private func configure(_ plan: SetupPlan) throws(Failure) {
    let file = try ConfigurationFile(session.arguments["--config"])
    let before = try file.before
    let (kept, replaced) = Self.parted(before ?? "", by: plan.questions.map(\.key))
    let standing = try Self.configuration(kept, in: file)
    var lines: [String] = []
    for question in plan.questions.map({ $0.offering(replaced) }) {
      // The answer is validated together with the kept lines and the previous answers.
      let answer = try answer(to: question, after: kept + lines, standing)
      if !answer.isEmpty { lines.append("\(question.key) = \(answer)") }
    }
    terminal.explain(["", "\(file.path) will contain:"] + lines.map { "  \($0)" } + [""])
    if before != nil {
      if !kept.isEmpty { terminal.explain(["and still:"] + kept.map { "  \($0)" } + [""]) }
      let gone = replaced.filter { !lines.contains($0) }
      if !gone.isEmpty { terminal.explain(["and no longer:"] + gone.map { "  \($0)" } + [""]) }
      lines += kept
      let place = file.path
      terminal.explain(["\(place) already exists."])
      guard try terminal.confirm("replace it, and keep the old file as \(place).before?") else {
        throw given(up: "not written")
      }
    } else {
      guard try terminal.confirm("write it?") else { throw given(up: "not written") }
    }
    try file.write(lines)
    terminal.explain(["written"])
    try serve(file)
  }

  /// Splits the previous settings, without comments, into lines to keep and lines that the questions replace.
  private static func parted(_ before: String, by keys: [String]) -> (kept: [String], replaced: [String]) {
    var (kept, replaced) = ([String](), [String]())
    for line in before.split(whereSeparator: \.isNewline).map(String.init) {
      let name = line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }
      guard !name.isEmpty, !name.hasPrefix("#") else { continue }
      if keys.contains(name) { replaced.append(line) } else { kept.append(line) }
    }
    return (kept, replaced)
  }

  /// Parses the kept lines alone, so that an error in them is not taken for an error in an answer.
  private static func configuration(
    _ kept: [String],
    in file: ConfigurationFile
  ) throws(Failure) -> Configuration {
    do { return try Configuration(parsing: kept.joined(separator: "\n"), file: file.path) } catch {
      throw .local(
        .usage,
        "\(file.path): \(error.problem)",
        hint: "fix that line, or move the file away and run \"authctl setup\" again"
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
      let answer = typed.isEmpty ? question.standard ?? "" : question.completed(typed)
      if answer.isEmpty, question.standard != nil { return "" }
      if let problem = answer.isEmpty ? "a value is required" : question.problem(with: answer, after: lines) {
        terminal.explain(["\(question.key): \(problem)"])
      } else if try isThere(answer, question, standing) {
        return answer
      }
    }
    throw given(up: "not all questions were answered")
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

  /// Returns once the daemon passes all checks with the new configuration.
  private func serve(_ file: ConfigurationFile) throws(Failure) {
    var isStarted = try isStartedAgain(file)
    while true {
      if !isStarted, try terminal.ask("press Enter when that is done") == nil {
        throw .local(
          .cancelled,
          "written, but the daemon was not started",
          hint: "\"authctl status\" shows the next step"
        )
      }
      let code = try session.perform([Command.doctor.name])
      if code == .done { return }
      terminal.explain(["At least one check fails, as shown above."])
      isStarted = false
    }
  }

  /// Restarts the daemon if systemd manages it and the user agrees.
  ///
  /// Returns true if it was restarted.
  private func isStartedAgain(_ file: ConfigurationFile) throws(Failure) -> Bool {
    let manager = UnitManager.own
    terminal.explain(["", "Restart the daemon to load it:"])
    guard file.isStandard else {
      terminal.explain(["  mfad --config \(file.path)"])
      return false
    }
    terminal.explain(["  \(manager.restartLine)"])
    let units = try UnitState.all(of: manager, session.waiter) ?? []
    guard units.contains(where: { $0.name == "mfad.service" && $0.isInstalled }) else {
      terminal.explain([
        "But systemd has no mfad.service here: start \"mfad\" in another terminal instead."
      ])
      return false
    }
    guard try terminal.confirm("do that now?") else { return false }
    guard let words = try manager.startDaemonAgain(session.waiter) else { return true }
    terminal.explain([
      "It did not start: \(words)", "\"\(manager.journal) -e -u mfad.service\" shows more.",
    ])
    return false
  }

  private func begin(_ plan: SetupPlan) throws(Failure) {
    // Accounts that root adds would belong to root.
    if geteuid() == 0, let user = ProcessEnvironment.value("SUDO_USER"), user != "root" {
      return terminal.explain([
        "", "If \(user) is new in the group mfad-users, sign in as \(user) again first.",
        "Then continue as \(user):", "  authctl setup",
      ])
    }
    if plan == .gateway {
      let all = Geography.allCases
      let geography = try session.pick(all, "which geography is your PingOne in?") { ["\($0.rawValue)"] }
      guard let geography else { throw given(up: "no geography was chosen") }
      try go(on: [Command.configure.name, geography.rawValue])
    }
    if plan == .journeys || plan == .codes {
      terminal.explain([
        "", "Paste the address in the QR code (otpauth:…, pushauth:… or mfauth:…), or the key below it.",
      ])
    } else {
      terminal.explain(["", "Sign on, so that this machine becomes your authenticator."])
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
