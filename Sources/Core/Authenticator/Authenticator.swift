package import Configuration
internal import ControlAPI
package import EventLoop
internal import Glibc
package import JSON
internal import JSONRPC
internal import JOSE
internal import OATH
internal import OpenSSL
package import Time
internal import WebAddress

/// Everything that owners can do with their pairings, passcodes, pushes and codes.
///
/// One object holds what can change; it lives on the event loop. What is to survive is in the store before
/// anybody hears of it. Each verb takes the owner, and an id of another owner does not exist for them.
@EventLoop
package final class Authenticator {
  package let store: Store
  /// Who hears of changes.
  package let events = EventHub()
  /// What the administrator decided; replaced when the file is read again.
  package var configuration: Configuration
  /// The version of the program, for reports.
  package var version: StaticString = "unknown"

  /// Asked through `ask`, which knows what follows when the platform has forgotten a device.
  let platform: any Platform
  let time: TimeSource
  /// What the machine says of itself, for the platform.
  package let posture: @EventLoop () -> JSON
  let after: Delay
  private var loadedIdentities: [Identity]?
  private var platforms: [WebURL: PlatformRecord] = [:]

  var establishing: [uid_t: [Geography: Task<Identity, any Error>]] = [:]
  var keyQuestions: [WebURL: (at: Duration, task: Task<Bool, any Error>)] = [:]
  var rotations: [String: Task<Timestamp, any Error>] = [:]

  var erasureObservers: [@EventLoop (uid_t) -> Void] = []
  var pairingOwners: Set<uid_t> = []
  var removals: [String: Task<Void, any Error>] = [:]
  var passcodes: [String: TOTP] = [:]
  var deadlines: [String: Duration] = [:]
  var deliveries: [String: Task<AnswerOutcome, any Error>] = [:]
  var backOffs: [String: Duration] = [:]
  var retries: Set<String> = []
  var codeProgress: [String: CodeProgress] = [:]
  var pollers: [String: Task<Void, Never>] = [:]
  var pushChanges: [uid_t: Int] = [:]
  var pushTellings: [String: Task<Bool, any Error>] = [:]
  var pushBackOffs: [String: Duration] = [:]
  var pushRetries: Set<String> = []
  var pushTests: Set<uid_t> = []
  var refreshes: [String: Task<[DeviceRecord], any Error>] = [:]
  var logRequests: Set<String> = []

  /// What calls a handler once after a time.
  package typealias Delay = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> Void

  /// An authenticator over a store and a platform, to which `posture` tells what the machine says of itself.
  package init(
    store: Store,
    platform: any Platform,
    configuration: Configuration,
    time: TimeSource,
    posture: @escaping @EventLoop () -> JSON,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.store, self.platform, self.configuration, self.time) = (store, platform, configuration, time)
    (self.posture, self.after) = (posture, after)
  }

  /// Every identity that the store holds.
  package func identities() throws -> [Identity] {
    if let loadedIdentities { return loadedIdentities }
    let identities = try store.identities { try platformRecord($0) }
    loadedIdentities = identities
    return identities
  }

  /// The identity of that id, if it is still somebody's.
  func identity(_ id: String) throws -> Identity? { try identities().first { $0.id == id } }

  /// Takes a new identity into the place of an earlier one of its owner and geography.
  func adopt(_ identity: Identity) {
    loadedIdentities?.removeAll { $0.owner == identity.owner && $0.geography == identity.geography }
    loadedIdentities?.append(identity)
  }

  /// Ends what is under way for the identities of an owner that was erased, and forgets them.
  func forgetIdentities(of owner: uid_t) {
    for task in (establishing.removeValue(forKey: owner) ?? [:]).values { task.cancel() }
    for identity in loadedIdentities ?? [] where identity.owner == owner {
      pollers.removeValue(forKey: identity.id)?.cancel()
      rotations.removeValue(forKey: identity.id)?.cancel()
      pushTellings.removeValue(forKey: identity.id)?.cancel()
      refreshes.removeValue(forKey: identity.id)?.cancel()
    }
    loadedIdentities?.removeAll { $0.owner == owner }
  }

  /// Whether an identity is still its owner's, and known to its platform.
  func isInUse(_ identity: Identity) -> Bool {
    identity.deviceID != nil && (loadedIdentities ?? []).contains { $0 === identity }
  }

  /// Asks the platform as an identity.
  ///
  /// A call that crossed a rotation of keys, the device's or the platform's, is made again with the new ones; a device
  /// that the platform does not know any more is forgotten here too.
  func ask<R>(
    _ identity: Identity,
    _ question: @EventLoop (any Platform) async throws -> R
  ) async throws -> R {
    do { return try await askByHeldKeys(identity, question) } catch PlatformError.unknownKey {
      guard try await followKeys(of: identity.platform) else { throw PlatformError.failed }
    }
    return try await askByHeldKeys(identity, question)
  }

  private func askByHeldKeys<R>(
    _ identity: Identity,
    _ question: @EventLoop (any Platform) async throws -> R
  ) async throws -> R {
    while true {
      let (device, keys) = (identity.deviceID, identity.keys)
      do { return try await question(platform) } catch PlatformError.deviceUnknown {
        guard let device, identity.deviceID == device else { throw PlatformError.deviceUnknown }
        // Which of two pairs of keys the platform knows, only its word can say.
        if identity.nextKeys != nil { _ = try await finishRotation(identity) }
        guard identity.deviceID == device, identity.keys.deviceThumbprint != keys.deviceThumbprint else {
          forget(identity, knownAs: device)
          throw PlatformError.deviceUnknown
        }
      }
    }
  }

  /// The account of that id, or the identity's owner's only one.
  func account(_ id: String?, of owner: uid_t) throws -> AccountRecord {
    let accounts = try store.accounts(of: owner)
    if let id {
      switch accounts.first(where: { $0.id == id && $0.state != .activating }) {
      case nil: throw RPCError.notFound
      case let account? where account.isActive: return account
      case .some: throw RPCError.notPaired
      }
    }
    // A passcode is asked for often: the usual case copies nothing.
    if accounts.count == 1, accounts[0].isActive { return accounts[0] }
    let active = accounts.filter(\.isActive)
    guard let first = active.first else {
      throw try store.geography(of: owner) == nil ? RPCError.notConfigured : .notPaired
    }
    guard active.count == 1 else {
      throw RPCError.ambiguous.with(["accounts": .strings(active.map(\.id))])
    }
    return first
  }

  func platformRecord(_ url: WebURL) throws -> PlatformRecord {
    if let record = platforms[url] { return record }
    let record = try store.platformRecord(url)
    platforms[url] = record
    return record
  }

  /// A new opaque id of 96 random bits, which no command can take for an option.
  package static func makeID() throws -> String {
    while true {
      let id = Base64URL.encode(try randomBytes(12))
      if !id.hasPrefix("-") { return id }
    }
  }
}
