internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import UnixSockets
internal import Usage

/// One run of one command: its arguments, its output, and the daemon and the terminal when they are wanted.
public final class Session {
  let command: Command
  let arguments: Arguments
  let output: Output
  let waiter: Waiter
  private let timeout: Duration?
  private var connection: DaemonConnection?
  /// Where the daemon was found, once it was looked for.
  private(set) var socketPath: String?

  init(
    _ command: Command,
    _ arguments: Arguments,
    _ output: Output,
    timeout: Duration?,
    waiter: Waiter = Waiter()
  ) {
    self.waiter = waiter
    self.command = command
    self.arguments = arguments
    self.output = output
    self.timeout = timeout
  }

  /// How long the daemon may take for one answer when nothing else is said.
  private static let answerLimit = Duration.seconds(60)
  /// How long `--wait` waits when nothing else is said.
  private static let waitLimit = Duration.seconds(300)

  /// When a wait for something to happen ends.
  var waitDeadline: Deadline { .after(timeout ?? Self.waitLimit) }

  /// When an answer of the daemon is no longer waited for.
  var answerDeadline: Deadline { .after(timeout ?? Self.answerLimit) }

  /// When something that has no end of its own ends: never, if nobody said so.
  var watchDeadline: Deadline { timeout.map { .after($0) } ?? .never }

  /// Where the daemon is looked for.
  var sockets: SocketChoice { SocketChoice(flag: arguments["--socket"]) }

  /// The connection to the daemon, made and checked at its first use.
  func daemon() throws(Failure) -> DaemonConnection {
    if let connection { return connection }
    let limit = timeout ?? Self.answerLimit
    let (descriptor, path) = try sockets.connection(within: limit)
    output.isOfOwnDaemon = geteuid() != 0 && (try? UnixSocket.peer(of: descriptor))?.user == geteuid()
    let made = try DaemonConnection(descriptor, waiter, answerLimit: limit)
    (connection, socketPath) = (made, path)
    return made
  }

  /// Calls a method and returns its result.
  func call<Method: ControlMethod>(_ method: Method) throws(Failure) -> Method.Result {
    try reply(to: method).value
  }

  /// Calls a method and returns its result as it came.
  func reply<Method: ControlMethod>(to method: Method) throws(Failure) -> Reply<Method.Result> {
    Reply(json: try daemon().result(of: method), of: Method.self)
  }

  /// Calls a method and prints its result; where it has no lines, a person is told what that means.
  func print<Method: ControlMethod>(
    _ method: Method,
    none: SafeText? = nil,
    _ lines: (Method.Result) -> [SafeText]
  ) throws(Failure) {
    try output.result(try reply(to: method), none: none, lines)
  }

  /// The terminal that a person sits at, if there is one: standard input is not redirected.
  lazy var terminal = Terminal.open(waiter)

  /// Standard input, for a program that talks to this one.
  lazy var input = StandardInput(waiter)

  /// One line from the person at the terminal, or without one from standard input; `nil` at the end of input.
  private func ask(_ prompt: SafeText, hidden: Bool) throws(Failure) -> String? {
    guard let terminal else { return try input.line() }
    return hidden ? try terminal.askHidden(prompt) : try terminal.ask(prompt)
  }

  /// The first argument, or without one, or with `-`, what is answered to a prompt; it goes to nobody but the
  /// daemon, which is looked for before.
  func word(orAnswerTo prompt: SafeText, hidden: Bool = false) throws(Failure) -> String {
    guard let word = arguments.words.first, word != "-" else {
      return try answer(to: prompt, hidden: hidden)
    }
    guard !word.isEmpty else { throw misused("no \(prompt) was given") }
    return word
  }

  /// What is answered to a prompt, which has to be something.
  func answer(to prompt: SafeText, hidden: Bool) throws(Failure) -> String {
    _ = try daemon()
    guard let answer = try ask(prompt, hidden: hidden), !answer.isEmpty else {
      throw .local(terminal == nil ? .usage : .cancelled, "no \(prompt) was given")
    }
    return answer
  }
}

extension Session {
  /// Carries out another command as if it had been typed, with a connection of its own, and returns how it
  /// ended; only an interrupt ends this one too.
  func perform(_ words: [String]) throws(Failure) -> ExitCode {
    let socket = arguments["--socket"].map { ["--socket", $0] } ?? []
    do {
      guard case .run(let command, let arguments) = try CommandLineReader.read(socket + words) else {
        return .wrongUsage
      }
      try command.run(Session(command, arguments, output, timeout: nil, waiter: waiter))
      return .done
    } catch {
      if case .interrupted = error { throw error }
      output.report(error)
      return error.exitCode
    }
  }
}

extension Session {
  /// Goes on only after a yes, given on the terminal or beforehand; where nobody can be asked, to have named
  /// the very thing by its id is one.
  func confirm(_ question: SafeText, isNamed: Bool = false, orElse refusal: SafeText) throws(Failure) {
    guard !arguments.has("--yes") else { return }
    if let terminal {
      guard try terminal.confirm(question) else { throw .local(.cancelled, refusal) }
    } else if !isNamed {
      throw misused("without a terminal --yes is required")
    }
  }
}

extension Session {
  /// The one of several that a person picks on the terminal, by its number in a list; nothing if nobody can
  /// be asked or they end the input.
  func pick<Item>(
    _ items: [Item],
    _ question: SafeText,
    _ row: (Item) -> [SafeText]
  ) throws(Failure) -> Item? {
    guard let terminal else { return nil }
    terminal.showRows(Columns.numbered(Columns.lines(items, row)))
    while let answer = try terminal.ask("\(question) [1-\(items.count)]") {
      if let number = Int(answer), items.indices.contains(number - 1) { return items[number - 1] }
    }
    return nil
  }

  /// Does something by an id as it was given, or else by that of the only thing that fits, or of the one that
  /// is picked of several: what is listed is asked for only if there is none of that very name.
  func resolving<Item: Sendable, Value>(
    _ given: String,
    among list: () throws(Failure) -> [Item],
    by naming: Naming<Item>,
    _ body: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    do { return try body(given) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .notFound), !given.isEmpty else {
        throw error
      }
      let fitting = naming.fitting(given, among: try list())
      guard let only = fitting.first else { throw error.naming(given, on: .notFound) }
      if fitting.count == 1 { return try body(naming.id(only)) }
      if let picked = try pick(fitting, "which one?", naming.row) { return try body(naming.id(picked)) }
      throw .local(
        .ambiguous,
        "several match \"\(given)\"",
        hint: "give more of the id",
        list: Columns.lines(fitting, naming.row)
      )
    }
  }

  /// Does something about the thing that is meant: the one that the first word names, or at a terminal the
  /// only one or the one that is picked.
  func choosing<Item: Sendable>(
    _ kind: SafeText,
    none: SafeText,
    among list: () throws(Failure) -> [Item],
    by naming: Naming<Item>,
    _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    if let given = arguments.words.first { return try resolving(given, among: list, by: naming, body) }
    guard terminal != nil else { throw misused("without a terminal give the id of the \(kind)") }
    let items = try list()
    guard let first = items.first else { throw .local(.notFound, none) }
    guard items.count > 1 else { return try body(naming.id(first)) }
    guard let picked = try pick(items, "which \(kind)?", naming.row) else {
      throw .local(.cancelled, "no \(kind) was chosen")
    }
    try body(naming.id(picked))
  }
}

extension Session {
  /// Does what may want the person verified: then the PIN is asked for on the terminal, and it is done with
  /// that.
  func verified<Value>(
    _ body: (PresenceClaim?) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var claim: PresenceClaim?
    while true {
      do { return try body(claim) } catch {
        guard case .refused(let refusal) = error, refusal.wantsPIN, let terminal else { throw error }
        if claim != nil { terminal.show([refusal.message]) }
        // Nobody gave it, and that it is wanted is the reason.
        guard let pin = try terminal.askHidden("PIN"), !pin.isEmpty else { throw error }
        claim = .pin(pin)
      }
    }
  }
}

extension DaemonError {
  fileprivate var wantsPIN: Bool {
    if isOne(of: .presenceRequired) { return methods.contains(PresenceClaim.Method.pin.rawValue) }
    return isOne(of: .locked, .presenceFailed)
  }
}
