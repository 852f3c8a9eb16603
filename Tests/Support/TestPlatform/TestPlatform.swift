package import Approvals
package import Configuration
package import ControlAPI
package import EventLoop
package import Glibc
package import JSON
package import OpenSSL
package import PingOne

/// A platform behind a courier, which behaves correctly unless a test injects faults.
///
/// Access is only by the wire protocol: requests are encrypted to its key and proven by a device. Replies are
/// signed by its key and encrypted to that of the request.
@EventLoop
package final class TestPlatform {
  /// Injects faults: a test throws here, or waits.
  package var weather: @EventLoop (Call, Moment) async throws(PlatformError) -> Void = {
    (_, _) throws(PlatformError) in
  }
  /// All calls, except those for pushes.
  package internal(set) var calls: [Call] = []
  /// All received decisions, with their push or code.
  package internal(set) var decisions: [(about: String, claims: JSONObject)] = []
  /// Postures that were received with answers to pushes.
  package internal(set) var postures: [JSON] = []

  /// The state of each push.
  ///
  /// A push without an entry is pending.
  package var outcomes: [String: RemoteStatus] = [:]
  var accepted: [String: JSONObject] = [:]
  /// Numbers that approvals of pushes must contain.
  package var numbers: [String: Int] = [:]
  /// Account locks in replies to answers, by push.
  package var locks: [String: AccountLock] = [:]
  /// The current lock of the account.
  package var lock: AccountLock?
  /// Number of permitted attempts with a wrong number.
  package var tries = 3
  /// The enrolment of all pairing keys without their own entry.
  package var pairing = Pairing()
  /// Enrolments of single pairing keys.
  ///
  /// Such a key is used up after a correct passcode, which it requires.
  package var pairings: [String: Pairing] = [:]
  /// Active bindings: the secret of each device and user.
  package internal(set) var bindings: [Binding: [UInt8]?] = [:]
  /// Result codes for the next passcode checks, one for each check.
  package var passcodeOutcomes: [String] = []
  /// The checked passcodes.
  package internal(set) var passcodes: [String] = []
  /// True if it refuses new keys of known devices.
  package var refusesKeys = false
  /// Batches to be fetched.
  ///
  /// Without one, a fetch waits permanently.
  package var batches: [Result<PushBatch, PlatformError>] = [] {
    didSet {
      let waiting = waitingFetch
      waitingFetch = nil
      waiting?.resume()
    }
  }
  /// All received push channels.
  package internal(set) var channels: [Channel] = []
  /// Paired users, as known to the platform of each geography.
  package var records: [Geography: [DeviceRecord]] = [:]
  /// True if an administrator has requested logs.
  package var areLogsRequested = false
  /// All received reports.
  package internal(set) var reports: [String] = []
  /// The data of codes without their own entry.
  package var code = Code()
  /// The data of single codes, which also expire here.
  package var codes: [String: Code] = [:]

  /// The initial key, which also signs pushes.
  package let key: PrivateKey
  package nonisolated static let keyID = "platform-1"
  /// Keys that it announces in addition to the initial one.
  package var newKeys: [PrivateKey] = []
  /// The key that signs replies, if it is not the initial one.
  package var signer: PrivateKey?
  /// Returns the owner of a device key, by thumbprint.
  ///
  /// The wire protocol does not contain the owner, but tests name devices after it.
  package var owner: @EventLoop (String) -> uid_t? = { _ in nil }

  var devices: [String: Device] = [:]
  var begun: [String: Begun] = [:]
  var seenProofs: Set<String> = []
  var generation = 0
  private var waitingFetch: UnsafeContinuation<Void, Never>?
  let clock: TestClock

  package init(clock: TestClock) throws {
    self.clock = clock
    key = try PrivateKey.generateP256()
  }

  /// Leaves a waiting fetch blocked permanently.
  package func abandonFetch() { waitingFetch = nil }

  /// Returns the next batch when there is one.
  func nextBatch() async -> Result<PushBatch, PlatformError> {
    while batches.isEmpty { await withUnsafeContinuation { waitingFetch = $0 } }
    return batches.removeFirst()
  }
}
