internal import Agent
internal import Courier
internal import Daemon
internal import Glibc
internal import Sandbox
internal import Usage

/// The program that writes the manual pages, from the tables that the programs use.
package enum ManualProgram {
  /// Writes every page and returns the exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    ManualOptions.run(arguments) { options in
      do {
        for page in try pages(options.article, Edition(version: Version.text, date: options.date)) {
          try write(page.text, to: "\(options.directory)/\(page.name).\(page.section)")
        }
      } catch {
        ManualOptions.usage.complain("\(error)")
        return EXIT_FAILURE
      }
      return EXIT_SUCCESS
    }
  }

  private static func pages(_ article: String, _ edition: Edition) throws -> [ManualPage] {
    var daemon = ManualPage(DaemonOptions.usage, 8, edition)
    daemon.seeAlso(("mfad.conf", 5), ("mfad-api", 7), ("mfad-courier", 8), ("authctl", 1))
    var courier = ManualPage(CourierOptions.usage, 8, edition)
    courier.seeAlso(("mfad", 8), ("mfad.conf", 5))
    var agent = ManualPage(AgentOptions.usage, 1, edition)
    agent.seeAlso(("authctl", 1), ("mfad", 8))
    var sandbox = ManualPage(SandboxOptions.usage, 1, edition)
    sandbox.seeAlso(("mfad", 8), ("authctl", 1))
    return try [
      daemon, courier, agent, sandbox, .authctl(edition), .interface(edition),
      .configuration(read(article), edition),
    ]
  }

  private static func read(_ path: String) throws(SystemFailure) -> String {
    guard let file = fopen(path, "r") else { throw SystemFailure(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) throws(SystemFailure) {
    guard let file = fopen(path, "w") else { throw SystemFailure(path: path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw SystemFailure(path: path) }
  }

  private struct SystemFailure: Error, CustomStringConvertible {
    let path: String
    let code = errno
    var description: String { "\(path): \(String(cString: strerror(code)))" }
  }
}
