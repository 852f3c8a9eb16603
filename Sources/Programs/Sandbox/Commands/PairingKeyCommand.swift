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
