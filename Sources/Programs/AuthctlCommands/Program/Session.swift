internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import UnixSockets
internal import Usage

/// One run of a command: its arguments and output, and the daemon and terminal, opened at the first use.
public final class Session {
  let command: Command
  let arguments: Arguments
  let output: Output
  let waiter: Waiter
  private let timeout: Duration?
  private var connection: DaemonConnection?
  /// The path of the connected socket; `nil` before the first connection.
  private(set) var socketPath: String?
  /// The PIN that the user typed at this terminal and that was not wrong, so that it is typed once.
  var pin: String?

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

  /// Default limit for one response of the daemon.
  private static let answerLimit = Duration.seconds(60)
  /// Default limit of `--wait`.
  private static let waitLimit = Duration.seconds(300)

  /// The end of a wait for an event.
  var waitDeadline: Deadline { .after(timeout ?? Self.waitLimit) }

  /// The end of a wait for a response of the daemon.
  var answerDeadline: Deadline { .after(timeout ?? Self.answerLimit) }

  /// The end of a watch: none without `--timeout`.
  var watchDeadline: Deadline { timeout.map { .after($0) } ?? .never }

  /// The possible sockets of the daemon.
  var sockets: SocketChoice { SocketChoice(flag: arguments["--socket"]) }

  /// Returns the connection to the daemon, which is made and verified at the first use.
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

  /// Calls a method and returns its result as received.
  func reply<Method: ControlMethod>(to method: Method) throws(Failure) -> Reply<Method.Result> {
    Reply(json: try daemon().result(of: method), of: Method.self)
  }

  /// Calls a method and prints its result, or the note `none` if the result has no lines.
  func print<Method: ControlMethod>(
    _ method: Method,
    none: SafeText? = nil,
    _ lines: (Method.Result) -> [SafeText]
  ) throws(Failure) {
    try output.result(try reply(to: method), none: none, lines)
  }

  /// The user's terminal; `nil` if standard input is redirected.
  lazy var terminal = Terminal.open(waiter)

  /// Standard input, for input from another program.
  lazy var input = StandardInput(waiter)

  /// Reads one line from the terminal or, without a terminal, from standard input.
  ///
  /// Returns `nil` at the end of input.
  private func ask(_ prompt: SafeText, hidden: Bool) throws(Failure) -> String? {
    guard let terminal else { return try input.line() }
    return hidden ? try terminal.askHidden(prompt) : try terminal.ask(prompt)
  }

  /// Returns the first argument or, if it is missing or `-`, the answer to a prompt.
  ///
  /// Connects to the daemon before the prompt, because the answer is of no use without the daemon.
  func word(orAnswerTo prompt: SafeText, hidden: Bool = false) throws(Failure) -> String {
    guard let word = arguments.words.first, word != "-" else {
      return try answer(to: prompt, hidden: hidden)
    }
    guard !word.isEmpty else { throw misused("no \(prompt) was given") }
    return word
  }

  /// Returns the answer to a prompt, which must not be empty.
  func answer(to prompt: SafeText, hidden: Bool) throws(Failure) -> String {
    _ = try daemon()
    guard let answer = try ask(prompt, hidden: hidden), !answer.isEmpty else {
      throw .local(terminal == nil ? .usage : .cancelled, "no \(prompt) was given")
    }
    return answer
  }
}

extension Session {
  /// Runs another command with its own connection and returns its exit code.
  ///
  /// Prints an error of the command; rethrows only an interrupt.
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
  /// Throws unless the user confirms, on the terminal or with `--yes`.
  ///
  /// Without a terminal, the full id (`isNamed`) counts as a confirmation.
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
  /// Returns the item that the user chooses by its number in a list.
  ///
  /// Returns `nil` without a terminal or at the end of input.
  func pick<Item>(
    _ items: [Item],
    _ question: SafeText,
    _ row: (Item) -> [SafeText]
  ) throws(Failure) -> Item? {
    guard let terminal else { return nil }
    terminal.showRows(Columns.numbered(Columns.lines(items, row)))
    while let answer = try terminal.ask("\(question) [1-\(items.count)]") {
      if let number = Int(answer), items.indices.contains(number - 1) { return items[number - 1] }
      terminal.explain(["\"\(answer)\" is not a number from 1 to \(items.count)"])
    }
    return nil
  }

  /// Runs `body` with the given id.
  ///
  /// If the daemon has no such item, runs `body` with the id of the only match or of the user's choice.
  func resolving<Item: Sendable, Value>(
    _ given: String,
    among list: () throws(Failure) -> [Item],
    by naming: NameMatcher<Item>,
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

  /// Runs `body` with the item that the first word names or, on a terminal, with the only or chosen one.
  func choosing<Item: Sendable>(
    _ kind: SafeText,
    none: SafeText,
    among list: () throws(Failure) -> [Item],
    by naming: NameMatcher<Item>,
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
