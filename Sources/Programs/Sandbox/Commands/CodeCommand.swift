import EventLoop
import JSON
import Usage

/// Makes an authentication code, as a relying party does.
struct CodeCommand: RunningCommand {
  var common = CommonArguments()
  private var needsNoApproval = false
  private var lifeTime: Int?

  static let usage = ProgramUsage<CodeCommand>(
    command: "code",
    "makes an authentication code",
    "Prints an authentication code, for \"authctl code\", and the address that a QR code of it would hold.",
    options: [
      .flag("--no-approval", \.needsNoApproval, "the user need not approve on the device"),
      ProgramOption("--seconds", takes: "N", "how long it is good, from 10 to 1800; else 60") {
        (command, text) throws(UsageError) in command.lifeTime = try Int(text, for: "--seconds")
      },
    ]
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let lifeTime = lifeTime.map { JSON.of(["duration": $0, "timeUnit": "SECONDS"]) }
    let body = JSON.of([
      "application": JSON.of(["id": sandbox.text("application")]), "lifeTime": lifeTime,
      "userApproval": needsNoApproval ? "NOT_REQUIRED" : "REQUIRED",
    ])
    let made = try await sandbox.ask("POST", "/\(sandbox.text("environment"))/authenticationCodes", body)
    return Report(lines: [made["code"]?.string ?? "", made["uri"]?.string ?? ""], json: made)
  }
}
