import EventLoop
import JSON
import Usage

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
