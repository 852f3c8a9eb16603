import Glibc
import JSON
import UnixSockets

/// Plays one scenario.
///
/// A single thread acts as daemon and user and waits for output of the program.
final class Stage {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let scenario: Scenario
  private let directory: String
  private let listener: Descriptor
  private let child: Child
  private var daemon: Descriptor?
  private var lastID: JSON = .null
  private var lastMethod = ""
  private var lastResult: JSON = .null

  /// Bytes received so far, by source.
  private var received: [Source: [UInt8]] = [:]
  private var ended: Set<Source> = []
  /// Offset in the terminal output up to which the scenario has matched.
  private var screenPosition = 0

  private enum Source: CaseIterable { case daemon, terminal, output, errors }

  /// Timeout of a step in milliseconds.
  ///
  /// No step takes this long.
  private static let patience: Int32 = 20_000

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    directory = try TemporaryDirectory.make()
    listener = try UnixSocket.listen(at: directory + "/mfad.sock", mode: 0o600)
    let folder = directory
    try Self.arrange(scenario, in: folder)
    let script = scenario.texts("shell").first?.replacing("$AUTHCTL", with: Child.authctl)
    let words = script.map { ["--norc", "-c", $0] } ?? scenario.texts("run").first.map(Self.split) ?? []
    let modes = scenario.texts("terminal")
    child = try Child(
      script == nil ? Child.authctl : "/bin/bash",
      words.map { $0.replacing("$DIR", with: folder) },
      environment: ["MFAD_SOCKET=\(directory)/mfad.sock", "PATH=/usr/bin:/bin"]
        + scenario.texts("env") + ["TZ=UTC"],
      input: modes.isEmpty ? .lines(scenario.texts("stdin")) : .terminal,
      outputIsTerminal: modes.first == "stdout"
    )
  }

  /// Creates the environment of the program.
  private static func arrange(_ scenario: Scenario, in directory: String) throws {
    for step in scenario.steps {
      let parts = step.text.split(separator: " ", maxSplits: 1).map(String.init)
      switch step.word {
      case "absent": unlink(directory + "/mfad.sock")
      case "mode": chmod(parts[0].replacing("$DIR", with: directory), mode_t(parts[1], radix: 8) ?? 0)
      case "file":
        guard let file = fopen("\(directory)/\(parts[0])", "w") else { throw Problem(description: "no file") }
        fputs(parts[1], file)
        fclose(file)
      default: break
      }
    }
  }

  deinit { TemporaryDirectory.remove(directory) }

  func play() throws {
    for step in scenario.steps {
      do { try play(step) } catch {
        kill(child.process, SIGKILL)
        _ = child.wait()
        throw Problem(description: "line \(step.line): \(step.word) \(step.text): \(error)\n\(transcript)")
      }
    }
  }

  private func play(_ step: Scenario.Step) throws {
    switch step.word {
    case "run", "shell", "env", "stdin", "terminal", "file", "mode", "absent", "out", "err": break
    case ">", ">?": try expectRequest(step)
    case "<": try reply("result", try Conversation.result(of: lastMethod, try JSON(parsing: step.text)))
    case "<!": try reply("error", try Conversation.error(try JSON(parsing: step.text)))
    case "<~": try sendEvent(step.text) { try Conversation.payload(of: $0, $1) }
    case "<?":
      let result = try JSON(parsing: step.text)
      try expect(!fits { try Conversation.result(of: self.lastMethod, result) }, "this fits: say <")
      try reply("result", result)
    case "<!?":
      let error = try JSON(parsing: step.text)
      try expect(!fits { try Conversation.error(error) }, "this fits: say <!")
      try reply("error", error)
    case "<~?":
      try sendEvent(step.text) { topic, payload in
        try self.expect(!self.fits { try Conversation.payload(of: topic, payload) }, "this fits: say <~")
        return payload
      }
    case "<raw": send(step.text.replacing("$ID", with: lastID.text).replacing("$CR", with: "\r") + "\n")
    case "<fill": send(String(repeating: "x", count: Int(step.text) ?? 0))
    case "<close": daemon = nil
    case "screen": try expectOnScreen(step.text)
    case "hidden": try expect(!child.isEchoing, "the terminal shows what is typed")
    case "shown": try expect(child.isEchoing, "the terminal hides what is typed")
    case "type": typeText(step.text + "\n")
    case "key": typeText(String(UnicodeScalar((step.text.utf8.first ?? 0) & 0x1F)))
    case "signal": kill(child.process, Self.signals[step.text] ?? 0)
    case "await": try pump { self.text(.output).contains(step.text) }
    case "exit", "killed": try expectEnd(step)
    default: throw Problem(description: "no such step")
    }
  }

  private static let signals = [
    "INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP, "PIPE": SIGPIPE, "QUIT": SIGQUIT,
  ]

  // MARK: Daemon

  private func expectRequest(_ step: Scenario.Step) throws {
    try pump { self.received[.daemon, default: []].contains(0x0A) }
    var bytes = received[.daemon, default: []]
    guard let end = bytes.firstIndex(of: 0x0A) else { return }
    let line = bytes[..<end]
    bytes.removeSubrange(...end)
    received[.daemon] = bytes
    let request = try JSON(parsing: line)
    let parts = step.text.split(separator: " ", maxSplits: 1).map(String.init)
    let params = parts.count > 1 ? try JSON(parsing: parts[1]) : nil
    try expect(
      request["jsonrpc"] == "2.0" && request["method"] == .string(parts[0])
        && (request["params"] ?? [:]) == (params ?? [:]),
      "the daemon received \(request.text)"
    )
    try expect(
      Conversation.isKnown(parts[0], params) == (step.word == ">"),
      step.word == ">" ? "the daemon does not take this" : "the daemon takes this: say >"
    )
    (lastID, lastMethod) = (request["id"] ?? .null, parts[0])
  }

  private func reply(_ member: String, _ value: JSON) throws {
    lastResult = value
    send("{\"jsonrpc\":\"2.0\",\"id\":\(lastID.text),\"\(member)\":\(value.text)}\n")
  }

  private func fits(_ check: () throws -> JSON) -> Bool { (try? check()) != nil }

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while let daemon, sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(daemon.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 || errno == EAGAIN else { return }
      sent += max(0, count)
    }
  }

  private func sendEvent(_ text: String, _ check: (String, JSON) throws -> JSON) throws {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    let payload = try check(parts[0], try JSON(parsing: parts[1]))
    let params: JSON = [
      "subscription": "s1", "topic": .string(parts[0]), "sequence": 1, "payload": payload,
    ]
    lastResult = params
    send("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":\(params.text)}\n")
  }

  // MARK: User

  private func typeText(_ text: String) {
    if let terminal = child.terminal { write(terminal.number, text, text.utf8.count) }
  }

  private func expectOnScreen(_ text: String) throws {
    let wanted = Array(text.replacing("$DIR", with: directory).utf8)
    try pump { self.find(wanted) != nil }
    if let end = find(wanted) { screenPosition = end }
  }

  private func find(_ wanted: [UInt8]) -> Int? {
    let screen = received[.terminal, default: []][screenPosition...]
    return screen.firstRange(of: wanted)?.upperBound
  }

  private func expectEnd(_ step: Scenario.Step) throws {
    try pump { self.ended.isSuperset(of: [.output, .errors]) }
    let end = child.wait()
    let expected: Child.End =
      step.word == "exit"
      ? .exit(Int32(step.text) ?? -1) : .signal(Self.signals[step.text] ?? -1)
    try expect(end == expected, "ended with \(end)")
    let isTerminal = scenario.texts("terminal").first == "stdout"
    if !isTerminal { try expect(text(.output), scenario.texts("out"), "standard output") }
    try expect(text(.errors), scenario.texts("err"), "standard error")
    let unread = received[.daemon, default: []]
    try expect(unread.isEmpty, "the daemon received also \(String(decoding: unread, as: UTF8.self))")
  }

  // MARK: Waiting

  private func expect(_ isSo: Bool, _ problem: @autoclosure () -> String) throws {
    if !isSo { throw Problem(description: problem()) }
  }

  private func expect(_ text: String, _ lines: [String], _ name: String) throws {
    let sudo = geteuid() == 0 ? "" : "sudo "
    let hasSystemd = access("/run/systemd/system", F_OK) == 0
    let restarting = "\"\(sudo)systemctl restart mfad\""
    let starting = "\"\(sudo)systemctl start mfad.socket\" or \"systemctl --user start mfad.socket\""
    let wanted = lines.map { line in
      line.replacing("$DIR", with: directory).replacing("$RESULT", with: lastResult.text)
        .replacing("$SUDO", with: sudo) + "\n"
    }.joined()
      .replacing("$START", with: hasSystemd ? starting : "\"mfad\"")
      .replacing("$RESTART", with: hasSystemd ? restarting : "\"pkill -x mfad; mfad\"")
      .replacing("$KERNEL", with: hasSystemd ? "\"journalctl -k\"" : "\"dmesg\"")
      .replacing("$JOURNAL", with: hasSystemd ? "\"journalctl -u mfad\"" : "the output of mfad")
    try expect(text == wanted, "\(name) is\n\(text)instead of\n\(wanted)")
  }

  private func text(_ source: Source) -> String {
    String(decoding: received[source, default: []], as: UTF8.self)
  }

  private var transcript: String {
    "--- out\n\(text(.output))--- err\n\(text(.errors))--- screen\n\(text(.terminal))--- daemon\n\(text(.daemon))"
  }

  /// Receives data until the condition holds.
  private func pump(until isDone: () -> Bool) throws {
    while !isDone() {
      var requests = Source.allCases.map { source in
        pollfd(fd: ended.contains(source) ? -1 : descriptor(source) ?? -1, events: Int16(POLLIN), revents: 0)
      }
      requests.append(pollfd(fd: daemon == nil ? listener.number : -1, events: Int16(POLLIN), revents: 0))
      // The output of a program that has ended can still be read.
      let isOver = ended.isSuperset(of: [.output, .errors])
      let count = poll(&requests, nfds_t(requests.count), isOver ? 0 : Self.patience)
      try expect(count > 0, isOver ? "the program ended before" : "nothing happens")
      if requests[Source.allCases.count].revents != 0 {
        daemon = try UnixSocket.accept(from: listener)
        ended.remove(.daemon)
      }
      for (source, request) in zip(Source.allCases, requests) where request.revents != 0 {
        read(source, request.fd)
      }
    }
  }

  private func descriptor(_ source: Source) -> Int32? {
    switch source {
    case .daemon: daemon?.number
    case .terminal: child.terminal?.number
    case .output: child.output.number
    case .errors: child.errors.number
    }
  }

  private func read(_ source: Source, _ number: Int32) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(number, &chunk, chunk.count)
    if count > 0 {
      received[source, default: []] += chunk[..<count]
    } else if count == 0 || errno != EAGAIN {
      ended.insert(source)
    }
  }

  /// Splits a line into words like a shell, with single quotes.
  private static func split(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    for character in line {
      switch character {
      case "'":
        isQuoted.toggle()
        word = word ?? ""
      case " " where !isQuoted:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
