internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import Processes
internal import SystemCalls
internal import Time
internal import UnixSockets
internal import Usage

/// Runs a program for each pending request; the program gets the request in its environment.
///
/// It is started without a shell and without arguments.
final class RequestPrograms {
  private let program: String
  private let session: Session
  private var requests: RequestQueue
  private var running: [pid_t: String] = [:]

  /// The interval of checks for ended programs.
  private static let interval = Duration.milliseconds(250)
  /// Maximum number of programs that run at the same time; further requests wait.
  ///
  /// A sender of requests must not be able to fill the machine with programs.
  private static let mostRunning = 4

  init(_ program: String, _ session: Session) throws(Failure) {
    guard !program.isEmpty else { throw session.misused("--exec requires a program") }
    (self.program, self.session) = (program, session)
    requests = RequestQueue(try session.answerable())
  }

  func run() throws(Failure) {
    let deadline = session.watchDeadline
    let daemon = try session.daemon()
    while true {
      // Reap first: with no program left and no event to come, a waiting request would not be started.
      reap()
      while running.count < Self.mostRunning, let request = requests.next() { try start(for: request) }
      // Poll only while a program runs.
      let step = running.isEmpty ? deadline : deadline.orAfter(Self.interval)
      guard let event = try session.nextChange(of: daemon, until: step) else {
        if deadline.hasPassed { throw .watched }
        continue
      }
      try session.output.result(event.reply) { _ in EventText.changes(event) }
      if event.saysLost { requests.add(try session.answerable()) } else { requests.add(event) }
    }
  }

  private func start(for request: NotificationObject) throws(Failure) {
    let accounts = try session.call(AccountList())
    do {
      let process = try ChildProcess.start(
        program,
        [],
        environment: ChildEnvironment.variables + fields(of: request, accounts),
        descriptors: [
          try ChildProcess.nullDevice(), Descriptor(owning: dup(STDOUT_FILENO)),
          Descriptor(owning: dup(STDERR_FILENO)),
        ]
      )
      running[process] = request.id
    } catch {
      throw .local(.toolMissing, "\(program) cannot be started: \(String(cString: strerror(error.code)))")
    }
  }

  private func fields(of request: NotificationObject, _ accounts: [Account]) -> [String] {
    let account = accounts.first { $0.id == request.account }
    let fields = [
      "ID": request.id,
      "TITLE": request.content.title ?? "",
      "BODY": request.content.body ?? "",
      "ACCOUNT": account.map { Describe.account($0, among: accounts).text } ?? request.account,
      "EXPIRES_AT": request.expiresAt.text,
      "WANTS_NUMBER": request.wantsNumber ? "yes" : "no",
    ]
    return fields.map { "MFAD_REQUEST_\($0)=\($1)" } + ["MFAD_SOCKET=\(session.socketPath ?? "")"]
  }

  /// Reaps ended programs, and prints a note about each failed one.
  private func reap() {
    for (process, id) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      if status != 0 { session.output.note("the program for request \(id) failed") }
    }
  }
}
