import Configuration
import ControlAPI
import EventLoop
import Glibc
import JOSE
import JSON
import Journal
import SQLite
import TestNetwork
import Testing
import Time

@testable import Authenticator

/// An authenticator on a real store, with a platform and clocks that a test commands.
@EventLoop
final class Bench {
  let clock = TestClock()
  let platform: TestPlatform
  private(set) var timers: TestTimers
  private(set) var authenticator: Authenticator
  private(set) var events: [(topic: EventTopic, payload: JSON)] = []
  private let directory: TestDirectory
  private var subscription: EventHub.Subscription?
  private var pushCount = 0

  static let owner: uid_t = 1000
  /// What the machine says of itself.
  static let posture: JSON = ["secureBoot": "enabled"]
  static let configuration = """
    platform = https://platform.example/base
    issuer = https://auth.example/e-1/as
    client_id = desk
    geo = NorthAmerica
    """

  init(configuration: String = Bench.configuration, inMemory: Bool = false) throws {
    Journal.level = .error
    directory = try TestDirectory(inMemory: inMemory)
    platform = try TestPlatform(clock: clock)
    timers = TestTimers(clock)
    authenticator = try Self.authenticator(directory, platform, configuration, clock, timers)
    listen()
  }

  private static func authenticator(
    _ directory: TestDirectory,
    _ platform: TestPlatform,
    _ configuration: String,
    _ clock: TestClock,
    _ timers: TestTimers
  ) throws -> Authenticator {
    Authenticator(
      store: try Store(directory: directory.path + "/state", credential: "none"),
      platform: platform,
      configuration: try Configuration(parsing: configuration, file: "mfad.conf"),
      time: clock.source,
      posture: { Self.posture },
      after: { timers.add($0, $1) }
    )
  }

  private func listen() {
    subscription = authenticator.events.subscribe(owner: Self.owner, topics: []) { [weak self] in
      self?.events.append(($0, $1.json))
    }
  }

  /// Where the state is.
  var statePath: String { directory.path + "/state" }

  /// Begins a new life over the same state; what the old one waited for never comes.
  func crash(configuration: String = Bench.configuration) throws {
    authenticator.stopPolling()
    platform.abandonFetch()
    if let subscription { authenticator.events.cancel(subscription) }
    timers = TestTimers(clock)
    authenticator = try Self.authenticator(directory, platform, configuration, clock, timers)
    listen()
  }

  /// Lets time pass and what was due happen.
  func pass(_ duration: Duration) async {
    clock.pass(duration)
    timers.fire()
    await settle()
  }

  /// Pairs the platform's user.
  @discardableResult
  func pair(_ owner: uid_t = Bench.owner) async throws -> PairingInfo {
    try await authenticator.pair("01ABCDEFGHJKMN", owner: owner)
  }

  /// A push as the platform would sign it now, with some claims changed.
  func push(_ changes: JSONObject = [:], header: String = "push+jwt") throws -> String {
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

  /// Delivers a push and returns it as it was stored.
  @discardableResult
  func receive(_ changes: JSONObject = [:]) throws -> NotificationObject? {
    try authenticator.process(.string(try push(changes)), owner: Self.owner)
  }

  /// Where a push stands.
  func state(of id: String) throws -> NotificationObject.State {
    try #require(authenticator.notification(id, owner: Self.owner).state.choice)
  }
}

extension Store {
  /// How many rows a table has.
  func rows(_ table: Table) throws -> Int {
    try database.row(table.count) { $0.int(0) } ?? 0
  }

  /// The tables whose rows tests count.
  enum Table {
    case account, pairing

    fileprivate var count: StaticString {
      switch self {
      case .account: "SELECT count(*) FROM account"
      case .pairing: "SELECT count(*) FROM pairing"
      }
    }
  }
}
