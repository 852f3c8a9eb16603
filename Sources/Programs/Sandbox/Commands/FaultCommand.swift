import EventLoop
import JSON
import Usage

/// Lets requests fail, for tests of whoever sends them.
struct FaultCommand: RunningCommand {
  var common = CommonArguments()
  private var path: String?
  private var method: String?
  private var count: Int?
  private var isClearing = false
  /// What is to happen, by the name that the control has for it.
  private var effects: [(String, JSON)] = []

  static let usage = ProgramUsage<FaultCommand>(
    command: "fault",
    "lets the next requests to a path fail",
    "Lets the next requests fail whose path begins so, and lists the faults that are still to happen.",
    operands: [.text("[PATH]", \.path)],
    options: [
      number("--status", "N", "status", "the response has this status, from 400 to 599"),
      number("--delay", "MILLISECONDS", "delayMs", "the response comes so much later"),
      effect("--drop", "dropConnection", true, "the connection is closed, and nothing done"),
      effect("--lose-reply", "loseReply", true, "what is asked is done, and the connection closed"),
      effect("--garbage", "garbage", "body", "the response means nothing"),
      effect("--garbage-bytes", "garbage", "connection", "what comes is no HTTP"),
      .text("--method", "METHOD", choices: FaultList.methods, \.method, "only requests by this method"),
      ProgramOption("--count", takes: "N", "so many requests; else one") {
        (command, text) throws(UsageError) in
        command.count = try Int(text, for: "--count")
      },
      .flag("--clear", \.isClearing, "forget all faults that are still to happen"),
    ]
  )

  func check() throws(UsageError) {
    if path == nil, method != nil || count != nil || !effects.isEmpty { throw UsageError("PATH is missing") }
    guard path == nil || effects.count == 1 else {
      throw UsageError("one thing has to happen there, as --status 500")
    }
  }

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

  private static func effect(_ option: String, _ name: String, _ value: JSON, _ help: String)
    -> ProgramOption<Self>
  { ProgramOption(option, help) { command, _ in command.effects.append((name, value)) } }

  private static func number(_ option: String, _ value: String, _ name: String, _ help: String)
    -> ProgramOption<Self>
  {
    ProgramOption(option, takes: value, help) { (command, text) throws(UsageError) in
      command.effects.append((name, .int(try Int(text, for: option))))
    }
  }
}
