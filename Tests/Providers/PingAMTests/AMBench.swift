import AMEnrolments
import Accounts
import Approvals
import Configuration
import ControlAPI
import CourierProtocol
import Daemon
import EventLoop
import Glibc
import JOSE
import JSON
import Journal
import OATHExports
import OpenSSL
import SQLite
import Settings
import TestLoop
import TestNetwork
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

/// The services of PingAM's accounts with a real vault.
///
/// A test controls the server and the clocks.
@EventLoop
final class AMBench {
  nonisolated static let owner: uid_t = 1000
  /// Time at which the vectors were sent.
  nonisolated static let start = Timestamp(milliseconds: 1_763_712_000_000)
  nonisolated static let configuration = "am_origin = https://am.example"

  /// One run of the services, from a start to a crash.
  @EventLoop
  @dynamicMemberLookup
  final class AMLife {
    let core: Core
    let accounts: Accounts
    let passcodes: Passcodes
    let approvals: Approvals
    let am: AMAccounts
    let refresh: AMTokenRefresh
    let enroller: AMEnroller
    let pushes: AMPushes
    let lock: PINLock

    init(_ bench: AMBench, _ timers: TestTimers, configuration: String) throws {
      let core = Core(
        vault: try Vault(
          directory: bench.directory.path + "/state",
          credential: "none",
          schema: DaemonSchema.current
        ),
        settings: Settings(try Configuration(parsing: configuration, file: "mfad.conf")),
        time: bench.clock.source
      ) { timers.add($0, $1) }
      self.core = core
      accounts = Accounts(core) { _ in .notPaired }
      lock = PINLock(core)
      passcodes = Passcodes(core, accounts: accounts, writes: RateLimit.writes(time: core.time))
      approvals = Approvals(core, accounts: accounts)
      let server = AMServer { [weak bench, vault = core.vault] request throws(CourierFailure) in
        guard let bench else { throw .cancelled }
        do { try await vault.committed() } catch { throw .cancelled }
        return try await bench.carry(request, in: vault)
      }
      am = AMAccounts(core, accounts: accounts, passcodes: passcodes) { [weak bench] in
        bench?.facts ?? AMHostFacts(hasBiometrics: true, tampering: 0)
      }
      let device = AMDevice(name: "workstation") { [weak bench] _ in bench?.token }
      refresh = AMTokenRefresh(core, accounts: am, server: server, device: device)
      enroller = AMEnroller(accounts: am, server: server, device: device, refresh: refresh)
      pushes = AMPushes(core, accounts: am, approvals: approvals)
      approvals.register(AMPushApprover(core, accounts: am, server: server, approvals: approvals))
      _ = OATHAccounts(accounts: accounts, passcodes: passcodes) { [weak bench] policies in
        bench.flatMap { AMPolicies(policies).firstUnmet(by: $0.facts) }?.rawValue
      }
    }

    subscript<Value>(dynamicMember member: KeyPath<Core, Value>) -> Value { core[keyPath: member] }
  }

  let clock = TestClock(AMBench.start)
  private(set) var timers: TestTimers
  private var current: AMLife?
  /// The server's response to a request.
  var answer: @EventLoop (CourierRequest) async throws(CourierFailure) -> CourierResponse = {
    _ throws(CourierFailure) in .taken
  }
  /// Requests that the server received.
  private(set) var requests: [CourierRequest] = []
  var token: String? = "FCM-TOKEN-1"
  var facts = AMHostFacts(hasBiometrics: true, tampering: 0)
  let directory: TestDirectory

  private init() throws {
    Journal.level = .error
    directory = try TestDirectory(inMemory: true)
    timers = TestTimers(clock)
  }

  /// Runs a test with its own bench.
  nonisolated static func run(
    configuration: String = AMBench.configuration,
    _ body: @escaping @EventLoop @Sendable (AMBench) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let bench = try AMBench()
      bench.current = try AMLife(bench, bench.timers, configuration: configuration)
      try await body(bench)
    }
  }

  var life: AMLife {
    guard let current else { preconditionFailure("a bench has a life from its beginning") }
    return current
  }

  /// Starts a new run with the same state.
  ///
  /// Pending calls and timers of the old run never complete.
  func crash() throws {
    try life.vault.commit()
    timers.abandon()
    timers = TestTimers(clock)
    // Calls that wait forever keep their services alive. A real process closes its descriptors when it ends.
    life.vault.release()
    current = try AMLife(self, timers, configuration: Self.configuration)
  }

  /// Sends a request of a run.
  ///
  /// The call never returns if that run has ended.
  fileprivate func carry(_ request: CourierRequest, in vault: Vault) async throws(CourierFailure)
    -> CourierResponse
  {
    requests.append(request)
    let outcome: Result<CourierResponse, CourierFailure>
    do throws(CourierFailure) { outcome = .success(try await answer(request)) } catch {
      outcome = .failure(error)
    }
    if life.vault !== vault { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    return try outcome.get()
  }

  func pass(_ duration: Duration) async {
    clock.pass(duration)
    timers.fire()
    await TestLoop.settle()
  }
}

extension CourierResponse {
  static let taken = CourierResponse(status: 200, headers: [], body: Array("{}".utf8))
  static func refused(_ status: Int = 400) -> CourierResponse {
    CourierResponse(status: status, headers: [], body: Array(#"{"code":400,"reason":"Bad Request"}"#.utf8))
  }
}
