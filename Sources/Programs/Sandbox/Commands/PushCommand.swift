import EventLoop
import JSON
import Usage

/// Asks a user for a sign-on, as a relying party does.
struct PushCommand: RunningCommand {
  var common = CommonArguments()
  private var user: String?
  private var title: String?
  private var text: String?
  private var number: Bool?
  private var isWaiting = false

  private static let pause = Duration.milliseconds(200)
  private static let pending = "PUSH_CONFIRMATION_REQUIRED"

  static let usage = ProgramUsage<PushCommand>(
    command: "push",
    "asks a user for a sign-on",
    """
    Begins a device authentication, which sends a push to who takes pushes, and prints its id and status, and
    the number that a sign-on page would show.
    """,
    operands: [.text("USER", \.user)],
    options: [
      .text("--title", "TEXT", \.title, "what the push is headed with"),
      .text("--text", "TEXT", \.text, "what it says"),
      ProgramOption("--number", "with a number to match, whatever the policy says") { command, _ in
        command.number = true
      },
      ProgramOption("--no-number", "without one") { command, _ in command.number = false },
      .flag("--wait", \.isWaiting, "wait for the answer, and end with 1 if it is no approval"),
    ]
  )

  func check() throws(UsageError) { if user == nil { throw UsageError("USER is missing") } }

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let path = "/\(sandbox.text("environment"))/deviceAuthentications"
    let variables = JSON.of(["title": title, "body": text])
    let notification = JSON.of([
      "template": JSON.of(["variables": variables]), "numberMatching": number,
    ])
    let body = JSON.of([
      "user": JSON.of(["id": try await sandbox.user(named: user ?? "")]), "notification": notification,
    ])
    var state = try await sandbox.ask("POST", path, body)
    let id = state["id"]?.string ?? ""
    let number = state["numberMatching"]?["number"]?.int
    let begun = ["\(id) \(state["status"]?.string ?? "")"] + (number.map { ["number \($0)"] } ?? [])
    guard isWaiting else {
      return report(begun, state, isSuccess: state["status"]?.string != "FAILED")
    }
    // Whoever answers may have to know the number first.
    if !common.isJSON { _ = Self.usage.say(begun.map { $0 + "\n" }.joined()) }
    while state["status"]?.string == Self.pending {
      try await EventLoop.sleep(for: Self.pause)
      state = try await sandbox.ask("GET", "\(path)/\(id)")
    }
    let status = state["status"]?.string ?? ""
    return report([status], state, isSuccess: status == "COMPLETED")
  }

  private func report(_ lines: [String], _ state: JSON, isSuccess: Bool) -> Report {
    Report(lines: lines, json: state, isSuccess: isSuccess, problem: state["error"]?["message"]?.string)
  }
}
