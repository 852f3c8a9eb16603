internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import UnixSockets
internal import Usage

/// One run of one command: its arguments, its output, and the daemon and the terminal when they are wanted.
package final class Session {
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

  /// The first argument, or without one, or with `-`, what is answered to a prompt; it goes to nobody but the daemon,
  /// which is looked for before.
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
