internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import EventLoop
internal import JSONRPC
internal import PingOne
internal import SQLite
internal import Settings
internal import SignOn
internal import Time
internal import Vault

/// Looks at what lies outside this process or takes long: for all who ask together, at most once a minute.
@EventLoop
final class Examiner {
  /// What was found, which is nobody's in particular.
  struct Findings: Sendable {
    /// The courier, and whom it reaches.
    let reach: [DoctorReport.Check]
    /// How many seconds the clocks of servers are ahead of this machine's, as far as they agree that it is wrong.
    let clockOffset: Int?
    /// How many pages are not as they were written, or why the database cannot be read or written.
    let damagedPages: Result<Int, RPCError>
  }

  let courier: CourierClient
  let settings: Settings
  let devices: Devices
  let directory: IssuerDirectory
  let time: TimeSource
  private let vault: Vault
  private let flight = SingleFlight<Int, Findings>()
  private var known: (findings: Findings, until: Duration)?
  /// Counts the configurations that were in force.
  private var configuration = 0

  private static let life = Duration.seconds(60)

  init(
    courier: CourierClient,
    settings: Settings,
    devices: Devices,
    directory: IssuerDirectory,
    vault: Vault,
    time: TimeSource
  ) {
    (self.courier, self.settings, self.devices) = (courier, settings, devices)
    (self.directory, self.vault, self.time) = (directory, vault, time)
  }

  /// What is so now, or was within the last minute.
  func findings() async throws -> Findings {
    if let known, known.until > time.uptime() { return known.findings }
    let examined = configuration
    return try await flight.run(examined) { [self] in
      let (reach, clockOffset) = await examineReach()
      let findings = Findings(
        reach: reach,
        clockOffset: clockOffset,
        damagedPages: try await examineDatabase()
      )
      if examined == configuration { known = (findings, time.uptime() + Self.life) }
      return findings
    }
  }

  /// Lets everything be looked at again: the configuration is another.
  func forget() {
    known = nil
    configuration += 1
  }

  private func examineDatabase() async throws -> Result<Int, RPCError> {
    do {
      // What cannot be opened is left as it is.
      _ = try vault.database
      let damaged = try await vault.check.countDamagedPages()
      // That the key cannot be had is no fault of the file's.
      do { try vault.checkItself() } catch let error as SQLiteError { throw error } catch {}
      if damaged == 0 { try await vault.tryWriting() }
      return .success(damaged)
    } catch let error as SQLiteError { return .failure(RPCError(naming: error)) }
  }
}
