internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import JSONRPC
internal import OpenIDConnect
internal import PingOne
internal import SQLite
internal import Settings
internal import SignOn
internal import Time
internal import Vault
internal import WebAddress

/// Runs the checks that use the network or take long.
///
/// Concurrent callers share one run. Its results are cached for one minute.
@EventLoop
final class DoctorProbes {
  /// Results that do not depend on the caller.
  struct Findings: Sendable {
    /// Checks of the courier, the hosts, the issuers and the platforms.
    let reach: [DoctorReport.Check]
    /// Smallest offset of a server's clock, in seconds, positive if the server's clock is ahead of this
    /// machine's clock; `nil` if no offset is known.
    let clockOffset: Int?
    /// Number of damaged pages, or the error if the database cannot be read or written.
    let damagedPages: Result<Int, RPCError>
  }

  let core: Core
  let courier: CourierClient
  let devices: Devices
  let directory: IssuerDirectory
  private let flight = SingleFlight<Int, Findings>()
  private var known: (findings: Findings, until: Duration)?
  /// Number of configuration changes; a run that began before a change does not cache its results.
  private var configuration = 0

  private static let life = Duration.seconds(60)

  init(_ core: Core, courier: CourierClient, devices: Devices, directory: IssuerDirectory) {
    (self.core, self.courier, self.devices, self.directory) = (core, courier, devices, directory)
  }

  /// Returns results that are at most one minute old.
  func findings() async throws -> Findings {
    if let known, known.until > core.time.uptime() { return known.findings }
    let examined = configuration
    return try await flight.run(examined) { [self] in
      let (reach, clockOffset) = await examineReach()
      let findings = Findings(
        reach: reach,
        clockOffset: clockOffset,
        damagedPages: try await examineDatabase()
      )
      if examined == configuration { known = (findings, core.time.uptime() + Self.life) }
      return findings
    }
  }

  /// Discards cached results after a change of the configuration.
  func forget() {
    known = nil
    configuration += 1
  }

  private func examineDatabase() async throws -> Result<Int, RPCError> {
    do {
      // Throws if the database cannot be opened. Its files are then left unchanged.
      _ = try core.vault.database
      let damaged = try await core.vault.check.countDamagedPages()
      // An unavailable key is not a fault of the database.
      do { try core.vault.checkItself() } catch let error as SQLiteError { throw error } catch {}
      if damaged == 0 { try await core.vault.tryWriting() }
      return .success(damaged)
    } catch let error as SQLiteError { return .failure(RPCError(naming: error)) }
  }
}

extension DoctorProbes {
  typealias Check = DoctorReport.Check

  /// The result of the request to one host.
  private enum HostProbe {
    /// The host answers. `offset`: seconds by which its clock is ahead of this machine's.
    case answered(offset: Int?)
    case failed(CourierFailure)
  }

  private static let patience = Duration.seconds(10)

  /// Sends a request to each configured host, then checks issuers and platforms on the hosts that answer.
  private func examineReach() async -> ([Check], clockOffset: Int?) {
    let origins = core.settings.current.allowedOrigins.sorted { $0.text < $1.text }
    guard !origins.isEmpty else {
      return ([Check(.courier, .skipped, "the configuration names no host to contact")], nil)
    }
    let visits = origins.map { origin in EventLoop.task { await self.visit(origin) } }
    var (checks, missing, offsets) = ([Check](), Set<Origin>(), [Int]())
    var isCourierThere = false
    for (origin, visit) in zip(origins, visits) {
      switch await visit.value {
      case .answered(let offset):
        isCourierThere = true
        offsets += [offset].compactMap(\.self)
        checks.append(Check(.host, .pass, Self.successMessage(of: origin)))
      case .failed(let failure):
        missing.insert(origin)
        if failure.cause == .courierUnavailable {
          checks.append(Check(.host, .skipped, "\(origin.text) was not contacted"))
        } else {
          isCourierThere = true
          let error = isOnlyIssuer(origin) ? failure.issuerError(at: origin) : failure.rpcError(at: origin)
          checks.append(Check(.host, failing: error))
        }
      }
    }
    let courier =
      isCourierThere
      ? Check(.courier, .pass, "mfad-courier sends requests")
      : Check(.courier, failing: CourierFailure.courierGone.rpcError)
    checks += await examineIssuers(except: missing) + examinePlatforms(except: missing)
    return ([courier] + checks, offsets.min { abs($0) < abs($1) })
  }

  private func visit(_ origin: Origin) async -> HostProbe {
    guard let url = WebURL(origin.text + "/") else { return .failed(.malformed) }
    do {
      let response = try await courier.send(CourierRequest(.get, url, timeout: Self.patience))
      // A cached response has an old date.
      let isKept = response.values(of: "Age").first.map { $0 != "0" } ?? false
      let date = isKept ? nil : response.values(of: "Date").first.flatMap { Timestamp(httpDate: $0) }
      return .answered(offset: date.map { $0.seconds(since: core.time.now()) })
    } catch {
      // A host is reachable even if its response is too large.
      return error == .tooLarge ? .answered(offset: nil) : .failed(error)
    }
  }

  /// True if the origin belongs to an issuer and not to a platform.
  private func isOnlyIssuer(_ origin: Origin) -> Bool {
    core.settings.current.issuers.contains { WebURL($0)?.origin == origin }
      && !platforms.contains { $0.origin == origin }
  }

  private var platforms: Set<WebURL> {
    let configuration = core.settings.current
    return Set([configuration.platform].compactMap(\.self) + configuration.platforms.values)
  }

  private static func successMessage(of origin: Origin) -> String {
    origin.scheme == .https
      ? "\(origin.text) answers, and its certificate is valid" : "\(origin.text) answers"
  }

  private func examineIssuers(except missing: Set<Origin>) async -> [Check] {
    let issuers = core.settings.current.issuers.filter { issuer in
      core.settings.current.issuerKeyFiles[issuer] == nil
        && WebURL(issuer).map { !missing.contains($0.origin) } ?? true
    }
    // Concurrent, so that many silent issuers take no longer than one.
    let meetings = issuers.map { issuer in EventLoop.task { await self.examine(issuer) } }
    var checks: [Check] = []
    for meeting in meetings { checks.append(await meeting.value) }
    return checks
  }

  private func examine(_ issuer: String) async -> Check {
    do {
      try await directory.meet(issuer, within: Self.patience)
      return Check(.issuer, .pass, "\(issuer) has an OpenID configuration")
    } catch { return Check(.issuer, failing: RPCError(naming: error)) }
  }

  private func examinePlatforms(except missing: Set<Origin>) async -> [Check] {
    guard !platforms.isEmpty else {
      return [Check(.platform, .skipped, "no platform is configured; passcodes and sign-ons need none")]
    }
    var checks: [Check] = []
    for url in platforms.sorted(by: { $0.text < $1.text }) where !missing.contains(url.origin) {
      do {
        let thumbprints = try await devices.thumbprints(of: url)
        checks.append(
          Self.keyCheck(of: url, thumbprints, isPinned: !core.settings.current.platformKeys.isEmpty)
        )
      } catch { checks.append(Check(.platform, failing: RPCError(naming: error))) }
    }
    return checks
  }

  private static func keyCheck(of url: WebURL, _ thumbprints: [String], isPinned: Bool) -> Check {
    guard !isPinned else {
      return Check(.platform, .pass, "the key of \(url.text) is one of the configured keys")
    }
    let request = "ask the platform's administrator for the thumbprint of the platform's key"
    let remedy =
      thumbprints.first.map {
        "\(request); if it is \($0), set \"platform_key = \($0)\" in mfad.conf"
      } ?? "\(request), and set platform_key in mfad.conf to this thumbprint"
    return Check(
      .platform,
      .warning,
      "no platform_key is set, so mfad trusts the first key that \(url.text) presents",
      cause: "no-pin",
      remedy: remedy
    )
  }
}
