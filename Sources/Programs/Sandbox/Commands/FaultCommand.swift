import EventLoop
import JSON
import Usage

/// Makes requests fail, to test their clients.
struct FaultCommand: RunningCommand {
  let common: CommonArguments
  private let path: String?
  private let method: String?
  private let count: Int?
  private let isClearing: Bool
  /// Effects of the fault, with the member names of the control request.
  private let effects: [(String, JSON)]

  init(_ arguments: Arguments) throws(UsageError) {
    common = try CommonArguments(arguments)
    (path, method) = (arguments.words.first, arguments["--method"])
    (count, isClearing) = (try arguments.number("--count"), arguments.has("--clear"))
    var effects = Self.effects.filter { arguments.has($0.option) }.map { ($0.name, $0.value) }
    for (option, name) in [("--status", "status"), ("--delay", "delayMs")] {
      if let number = try arguments.number(option) { effects.append((name, .int(number))) }
    }
    self.effects = effects
    if path == nil, method != nil || count != nil || !effects.isEmpty { throw UsageError("PATH is missing") }
    guard path == nil || effects.count == 1 else {
      throw UsageError("PATH needs exactly one effect, such as --status 500")
    }
  }

  private static let effects: [(option: String, name: String, value: JSON)] = [
    ("--drop", "dropConnection", true), ("--lose-reply", "loseReply", true), ("--garbage", "garbage", "body"),
    ("--garbage-bytes", "garbage", "connection"),
  ]

  static let usage = ProgramUsage(
    command: "fault",
    "makes the next requests to a path fail",
    "Makes the next requests to paths that begin with PATH fail, and lists the pending faults.",
    operands: ["[PATH]"],
    options: [
      Option("--status", takes: "N", "respond with this status, from 400 to 599"),
      Option("--delay", takes: "MILLISECONDS", "delay the response by this time"),
      Option("--drop", "close the connection without executing the request"),
      Option("--lose-reply", "execute the request, then close the connection without a response"),
      Option("--garbage", "respond with a meaningless body"),
      Option("--garbage-bytes", "respond with bytes that are not HTTP"),
      Option("--method", takes: "METHOD", choices: FaultList.methods, "only requests with this method"),
      Option("--count", takes: "N", "number of requests that fail (default: 1)"),
      Option("--clear", "remove all pending faults"),
    ]
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let address = "/sandbox/faults"
    if isClearing { _ = try await sandbox.ask("DELETE", address) }
    if let path {
      let body = JSON.of(["path": path, "method": method, "count": count], adding: JSONObject(effects))
      _ = try await sandbox.ask("POST", address, body)
    }
    let json = try await sandbox.ask("GET", address)
    return Report(lines: (json["faults"]?.array ?? []).map(\.text), json: json)
  }
}
