internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import Usage

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
      try checkIsConfigured(for: plan)
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

  /// Throws unless root has configured the service of this machine for the plan.
  private func checkIsConfigured(for plan: SetupPlan) throws(Failure) {
    let isConfigured =
      switch plan {
      case .gateway: try !session.call(ServiceStatus()).platform.url.isEmpty
      case .tenant:
        try !session.call(ServiceDoctor()).checks.contains { $0.cause == ErrorCause.noClientID.rawValue }
      case .journeys, .codes: true
      }
    guard !isConfigured else { return }
    throw .local(
      .notConfigured,
      "the service of this machine is not configured for this purpose",
      hint: "ask your administrator to run \"sudo authctl setup\""
    )
  }

  private func given(up problem: SafeText) -> Failure {
    .local(.cancelled, "\(problem); nothing was changed")
  }

  private func configure(_ plan: SetupPlan) throws(Failure) {
    let file = try ConfigurationFile(session.arguments["--config"])
    let before = try file.before
    let (kept, replaced) = Self.parted(before ?? "", by: plan.questions.map(\.key))
    let standing = try Self.configuration(kept, in: file)
    var answers = SetupAnswers(session, terminal, kept: kept, standing)
    try answers.ask(plan.questions.map { $0.offering(replaced) })
    var lines = answers.lines
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
    if let user = try userBesidesRoot() {
      return terminal.explain([
        "", "\"usermod -aG mfad-users \(user)\" allows \(user) to use the service.",
        "If \(user) is new in the group mfad-users, sign in as \(user) again first.",
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

  /// Returns another user that gets the accounts of this setup; `nil` without root or if root gets them.
  ///
  /// Accounts that root adds would belong to root.
  private func userBesidesRoot() throws(Failure) -> String? {
    guard geteuid() == 0 else { return nil }
    if let user = ProcessEnvironment.value("SUDO_USER") { return user == "root" ? nil : user }
    terminal.explain(["", "An account belongs to the user that adds it, and you are root."])
    while let name = try terminal.ask("for which user? [root]"), !name.isEmpty, name != "root" {
      if SystemUser(name) != nil { return name }
      terminal.explain(["this machine has no user \"\(name)\""])
    }
    return nil
  }

  private func go(on words: [String]) throws(Failure) {
    let code = try session.perform(words)
    guard code == .done else { throw .told(code) }
  }
}
