import EventLoop
import JSON
import Usage

/// Makes a pairing key, as an administrator does.
struct PairingKeyCommand: RunningCommand {
  let common: CommonArguments
  private static let regions = PlatformGeography.regionCodes

  private let user: String
  private let region: String?

  init(_ arguments: Arguments) throws(UsageError) {
    common = try CommonArguments(arguments)
    (user, region) = (try arguments.needed("USER"), arguments["--region"])
  }

  static let usage = ProgramUsage(
    command: "key",
    "makes a pairing key for a user",
    "Prints a pairing key of a user, for \"authctl pair\".",
    operands: ["USER"],
    options: [
      Option("--region", takes: "REGION", choices: regions, "\(regions.joined(separator: ", ")); default: NA")
    ]
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let id = try await sandbox.user(named: user).string ?? ""
    let body = JSON.of(["region": region])
    let key = try await sandbox.ask("POST", "\(sandbox.managed)/users/\(id)/pairingKeys", body)
    return Report(lines: [key["code"]?.string ?? ""], json: key)
  }
}

/// Makes an authentication code, as a relying party does.
struct CodeCommand: RunningCommand {
  let common: CommonArguments
  private let needsNoApproval: Bool
  private let lifeTime: Int?

  init(_ arguments: Arguments) throws(UsageError) {
    common = try CommonArguments(arguments)
    needsNoApproval = arguments.has("--no-approval")
    lifeTime = try arguments.number("--seconds")
  }

  static let usage = ProgramUsage(
    command: "code",
    "makes an authentication code",
    "Prints an authentication code, for \"authctl code\", and the URI that its QR code contains.",
    options: [
      Option("--no-approval", "the user need not approve on the device"),
      Option("--seconds", takes: "N", "lifetime in seconds, from 10 to 1800 (default: 60)"),
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

/// Logs a browser in to the console.
struct ConsoleCommand: RunningCommand {
  let common: CommonArguments

  init(_ arguments: Arguments) throws(UsageError) { common = try CommonArguments(arguments) }

  static let usage = ProgramUsage(
    command: "console",
    "prints a URL that logs a browser in to the console",
    "Prints a URL that logs a browser in to the console. The URL is valid once and for two minutes."
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    let made = try await sandbox.ask("POST", "/sandbox/console")
    return Report(lines: [made["address"]?.string ?? ""], json: made)
  }
}
