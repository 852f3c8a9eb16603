package import Approvals
package import Configuration
package import ControlAPI
package import EventLoop
package import Glibc
package import JSON
package import OpenSSL
package import PingOne

/// A platform behind a courier, that behaves unless a test makes the weather bad.
///
/// It is reached by the wire alone: what it is asked is encrypted to its key and proven by a device, and what it says
/// is signed by its key and encrypted to that of the question.
@EventLoop
package final class TestPlatform {
  /// What happens to a call on its way; a test throws here, or waits.
  package var weather: @EventLoop (Call, Moment) async throws(PlatformError) -> Void = {
    (_, _) throws(PlatformError) in
  }
  /// Every call that was begun, those for pushes apart.
  package internal(set) var calls: [Call] = []
  /// Every decision that was heard, with the thing it was about.
  package internal(set) var decisions: [(about: String, claims: JSONObject)] = []
  /// What machines said of themselves with answers to pushes.
  package internal(set) var postures: [JSON] = []

  /// Where each push stands; one that is not here is pending.
  package var outcomes: [String: Standing] = [:]
  var accepted: [String: JSONObject] = [:]
  /// The numbers that pushes want.
  package var numbers: [String: Int] = [:]
  /// The locks that answers bring with them, by their push.
  package var locks: [String: AccountLock] = [:]
  /// What keeps the account closed.
  package var lock: AccountLock?
  /// How often a wrong number may be given.
  package var tries = 3
  /// What a pairing key sets up.
  package var pairing = Pairing()
  /// What single pairing keys set up; one of these is used up once its passcode was right, and must have been.
  package var pairings: [String: Pairing] = [:]
  /// What is in force: the secret of each device and user.
  package internal(set) var bindings: [Binding: [UInt8]?] = [:]
  /// What a passcode's first check says, once for each check.
  package var passcodeOutcomes: [String] = []
  /// The passcodes that were checked.
  package internal(set) var passcodes: [String] = []
  /// Whether it takes no new keys from those whom it knows.
  package var refusesKeys = false
  /// The batches that wait to be fetched; without one a fetch waits for ever.
  package var batches: [Result<PushBatch, PlatformError>] = [] {
    didSet {
      let waiting = waitingFetch
      waitingFetch = nil
      waiting?.resume()
    }
  }
  /// Every push channel that was heard.
  package internal(set) var channels: [Channel] = []
  /// Who is paired, as the platform of a geography knows it.
  package var records: [Geography: [DeviceRecord]] = [:]
  /// Whether an administrator waits for logs.
  package var areLogsRequested = false
  /// Every report that was heard.
  package internal(set) var reports: [String] = []
  /// What a claimed code is.
  package var code = Code()
  /// What single codes are, each by itself; these have an end here too.
  package var codes: [String: Code] = [:]

  /// The key that it is met by, which signs its pushes.
  package let key: PrivateKey
  package nonisolated static let keyID = "platform-1"
  /// Keys that it announces beside its first.
  package var newKeys: [PrivateKey] = []
  /// What signs its answers, when that is not its first key.
  package var signer: PrivateKey?
  /// Whose device a key is, by its thumbprint; nothing on the wire says it, and tests name devices after it.
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

  /// Leaves whoever fetches pushes waiting for ever.
  package func abandonFetch() { waitingFetch = nil }

  /// The next batch, as soon as there is one.
  func nextBatch() async -> Result<PushBatch, PlatformError> {
    while batches.isEmpty { await withUnsafeContinuation { waitingFetch = $0 } }
    return batches.removeFirst()
  }
}
