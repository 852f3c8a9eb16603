internal import Configuration
package import ControlAPI
internal import CourierProtocol
package import EventLoop
package import Glibc
internal import JOSE
package import JSON
internal import Journal
internal import PingOne
internal import SQLite
internal import TestNetwork
internal import Time
internal import Vault

/// The services of a daemon with a real vault, and a platform and clocks that the test controls.
@EventLoop
@dynamicMemberLookup
package final class Bench {
  package let clock = TestClock()
  package let platform: TestPlatform
  package private(set) var timers: TestTimers
  package private(set) var life: Life
  private var heard: [(topic: EventTopic, payload: JSON)] = []
  private let directory: TestDirectory
  private var subscription: EventHub.Subscription?
  private var pushCount = 0

  package nonisolated static let owner: uid_t = 1000
  /// The posture of the machine.
  package nonisolated static let posture: JSON = ["secureBoot": "enabled"]
  package nonisolated static let configuration = """
    platform = https://platform.example/base
    issuer = https://auth.example/e-1/as
    client_id = desk
    geo = NorthAmerica
    """

  package init(configuration: String = Bench.configuration, inMemory: Bool = false) throws {
    Journal.level = .error
    directory = try TestDirectory(inMemory: inMemory)
    platform = try TestPlatform(clock: clock)
    timers = TestTimers(clock)
    life = try Self.life(directory, platform, configuration, clock, timers)
    listen()
  }

  private static func life(
    _ directory: TestDirectory,
    _ platform: TestPlatform,
    _ configuration: String,
    _ clock: TestClock,
    _ timers: TestTimers
  ) throws -> Life {
    let life = try Life(
      directory: directory.path + "/state",
      configuration: Configuration(parsing: configuration, file: "mfad.conf"),
      exchange: platform.exchange,
      time: clock.source,
      posture: { Self.posture },
      after: { timers.add($0, $1) }
    )
    platform.owner = { [vault = life.vault] in vault.owner(ofKey: $0) }
    return life
  }

  private func listen() {
    subscription = life.events.subscribe(owner: Self.owner, topics: []) { [weak self] in
      self?.heard.append(($0, $1.json))
    }
  }

  /// A service of the current run.
  package subscript<Value>(dynamicMember member: KeyPath<Life, Value>) -> Value { life[keyPath: member] }

  /// Path of the state directory.
  package var statePath: String { directory.path + "/state" }

  /// The events of subscribers, including those still pending in this loop iteration.
  package var events: [(topic: EventTopic, payload: JSON)] {
    try? life.vault.commit()
    return heard
  }

  /// Starts a new run with the same state.
  ///
  /// Replies for the old run never arrive.
  ///
  /// All changes are committed to disk first, as none of them leaves the process earlier.
  package func crash(configuration: String = Bench.configuration) throws {
    try life.vault.commit()
    life.poller.stopAll()
    life.line.isCut = true
    platform.abandonFetch()
    if let subscription { life.events.cancel(subscription) }
    timers.abandon()
    timers = TestTimers(clock)
    // Calls that never return retain their services. A process would close its descriptors at its end.
    life.vault.release()
    life = try Self.life(directory, platform, configuration, clock, timers)
    listen()
  }

  /// Advances time and runs due timers.
  package func pass(_ duration: Duration) async {
    clock.pass(duration)
    timers.fire()
    await settle()
  }

  /// Returns a push that the platform signs now, with changed claims.
  package func push(_ changes: JSONObject = [:], header: String = "push+jwt") throws -> String {
    pushCount += 1
    let now = clock.now.seconds
    var claims: JSONObject = [
      "iss": "https://platform.example/base", "aud": .string(platform.device(of: Self.owner)),
      "jti": .string("p-\(pushCount)"),
      "iat": .int(now), "exp": .int(now + 120), "type": "authentication", "sub": "u-1", "env": "e-1",
      "title": "Sign on", "timeout": 120,
    ]
    for member in changes.members { claims[member.name] = member.value.isNull ? nil : member.value }
    return try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: header,
      keyID: TestPlatform.keyID,
      with: platform.key,
      algorithm: .es256
    )
  }
}

extension Life.Line {
  /// Sends a request.
  ///
  /// After a crash, the caller waits permanently, unless its task is cancelled.
  func carry(_ request: CourierRequest) async throws(CourierFailure) -> CourierResponse {
    let outcome: Result<CourierResponse, CourierFailure>
    if isCut {
      outcome = .failure(.cancelled)
    } else {
      do throws(CourierFailure) { outcome = .success(try await exchange(request)) } catch {
        outcome = .failure(error)
      }
    }
    if isCut, !Task.isCancelled { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    return try outcome.get()
  }
}

extension Vault {
  /// Returns the owner of the device with this key thumbprint.
  fileprivate func owner(ofKey id: String) -> uid_t? {
    try? database.row(
      "SELECT owner FROM identity JOIN identity_key ON identity.id = identity WHERE identity_key.key_id = ?",
      .text(id)
    ) { uid_t(truncatingIfNeeded: $0.int(0)) }
  }
}
