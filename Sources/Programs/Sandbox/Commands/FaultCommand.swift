import EventLoop
import JSON
import Usage

/// Lets requests fail, for tests of whoever sends them.
struct FaultCommand: RunningCommand {
  let common: CommonArguments
  private let path: String?
  private let method: String?
  private let count: Int?
  private let isClearing: Bool
  /// What is to happen, by the name that the control has for it.
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
      throw UsageError("one thing has to happen there, as --status 500")
    }
  }

  private static let effects: [(option: String, name: String, value: JSON)] = [
    ("--drop", "dropConnection", true), ("--lose-reply", "loseReply", true), ("--garbage", "garbage", "body"),
    ("--garbage-bytes", "garbage", "connection"),
  ]

  static let usage = ProgramUsage(
    command: "fault",
    "lets the next requests to a path fail",
    "Lets the next requests fail whose path begins so, and lists the faults that are still to happen.",
    operands: ["[PATH]"],
    options: [
      Option("--status", takes: "N", "the response has this status, from 400 to 599"),
      Option("--delay", takes: "MILLISECONDS", "the response comes so much later"),
      Option("--drop", "the connection is closed, and nothing done"),
      Option("--lose-reply", "what is asked is done, and the connection closed"),
      Option("--garbage", "the response means nothing"),
      Option("--garbage-bytes", "what comes is no HTTP"),
      Option("--method", takes: "METHOD", choices: FaultList.methods, "only requests by this method"),
      Option("--count", takes: "N", "so many requests; else one"),
      Option("--clear", "forget all faults that are still to happen"),
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
