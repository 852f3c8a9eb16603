import EventLoop
import JSON
import Usage

/// Asks a user to approve a sign-on, as a relying party does.
struct PushCommand: RunningCommand {
  let common: CommonArguments
  private static let pause = Duration.milliseconds(200)
  private static let pending = "PUSH_CONFIRMATION_REQUIRED"
  private static let passcodeRequired = "OTP_REQUIRED"

  private let user: String
  private let title: String?
  private let text: String?
  private let number: Bool?
  private let isWaiting: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    common = try CommonArguments(arguments)
    (user, title, text) = (try arguments.needed("USER"), arguments["--title"], arguments["--text"])
    number = arguments.all(of: "--number", "--no-number").last.map { $0.option == "--number" }
    isWaiting = arguments.has("--wait")
  }

  static let usage = ProgramUsage(
    command: "push",
    "asks a user to approve a sign-on",
    """
    Starts a device authentication, which sends a push to a device that accepts pushes. Prints its id, its status and
    the number that a sign-on page would show. Exits with 1 if no push was sent.
    """,
    operands: ["USER"],
    options: [
      Option("--title", takes: "TEXT", "title of the push"),
      Option("--text", takes: "TEXT", "text of the push"),
      Option("--number", "require number matching, regardless of the policy"),
      Option("--no-number", "do not require number matching"),
      Option("--wait", "wait for the answer; exit with 1 unless it is an approval"),
    ]
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let path = "/\(sandbox.text("environment"))/deviceAuthentications"
    let variables = JSON.of(["title": title, "body": text])
    let notification = JSON.of([
      "template": JSON.of(["variables": variables]), "numberMatching": number,
    ])
    let body = JSON.of([
      "user": JSON.of(["id": try await sandbox.user(named: user)]), "notification": notification,
    ])
    var state = try await sandbox.ask("POST", path, body)
    let id = state["id"]?.string ?? ""
    let number = state["numberMatching"]?["number"]?.int
    let begun = ["\(id) \(state["status"]?.string ?? "")"] + (number.map { ["number \($0)"] } ?? [])
    guard isWaiting else {
      return report(begun, state, isSuccess: state["status"]?.string != "FAILED")
    }
    // Print the number now, since the user may need it to answer.
    if !common.isJSON { _ = Self.usage.say(begun.map { $0 + "\n" }.joined()) }
    while state["status"]?.string == Self.pending {
      try await EventLoop.sleep(for: Self.pause)
      state = try await sandbox.ask("GET", "\(path)/\(id)")
    }
    let status = state["status"]?.string ?? ""
    return report([status], state, isSuccess: status == "COMPLETED")
  }

  private func report(_ lines: [String], _ state: JSON, isSuccess: Bool) -> Report {
    let wantsPasscode = state["status"]?.string == Self.passcodeRequired
    return Report(
      lines: lines,
      json: state,
      isSuccess: isSuccess && !wantsPasscode,
      problem: wantsPasscode
        ? "\(user)'s first device makes passcodes; no push was sent" : state["error"]?["message"]?.string
    )
  }
}
