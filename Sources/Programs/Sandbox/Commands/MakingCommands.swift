import EventLoop
import JSON
import Usage

/// Makes a pairing key, as an administrator does.
struct PairingKeyCommand: RunningCommand {
  var common = CommonArguments()
  private var user: String?
  private var region: String?

  private static let regions = Geography.regionCodes

  static let usage = ProgramUsage<PairingKeyCommand>(
    command: "key",
    "makes a key by which a device is paired with a user",
    "Prints a pairing key of a user, for \"authctl pair\".",
    operands: [.text("USER", \.user)],
    options: [
      .text("--region", "REGION", choices: regions, \.region, "\(regions.joined(separator: ", ")); else NA")
    ]
  )

  func check() throws(UsageError) { if user == nil { throw UsageError("USER is missing") } }

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let id = try await sandbox.user(named: user ?? "").string ?? ""
    let body = JSON.of(["region": region])
    let key = try await sandbox.ask("POST", "\(sandbox.managed)/users/\(id)/pairingKeys", body)
    return Report(lines: [key["code"]?.string ?? ""], json: key)
  }
}

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

/// Lets a browser into the console.
struct ConsoleCommand: RunningCommand {
  var common = CommonArguments()

  static let usage = ProgramUsage<ConsoleCommand>(
    command: "console",
    "prints an address of the console in a browser",
    "Prints an address that lets a browser into the console, once and within two minutes."
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let made = try await sandbox.ask("POST", "/sandbox/console")
    return Report(lines: [made["address"]?.string ?? ""], json: made)
  }
}
