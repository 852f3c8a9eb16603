import Authenticator
import Configuration
import ControlAPI
import EventLoop
import Glibc
import JOSE
import JSON
import JSONRPC
import OATH
import OpenSSL
import Time

/// A platform that behaves, unless a test makes the weather bad.
@EventLoop
final class TestPlatform: Platform {
  /// What happens to a call on its way; a test throws here, or waits.
  var weather: @EventLoop (Call, Moment) async throws(PlatformError) -> Void = {
    (_, _) throws(PlatformError) in
  }
  /// Every call that was begun, those for pushes apart.
  private(set) var calls: [Call] = []
  /// Every decision that was heard, with the thing it was about.
  private(set) var decisions: [(about: String, claims: JSONObject)] = []

  /// What machines said of themselves with answers to pushes.
  private(set) var postures: [JSON] = []

  /// Where each push stands; one that is not here is pending.
  var outcomes: [String: PushStatus] = [:]
  private var accepted: [String: JSONObject] = [:]
  /// The numbers that pushes want.
  var numbers: [String: Int] = [:]
  /// The locks that answers bring with them, by their push.
  var locks: [String: AccountLock] = [:]
  /// What keeps the account closed.
  var lock: AccountLock?
  /// How often a wrong number may be given.
  var tries = 3
  /// What a pairing key sets up.
  var pairing = Pairing()
  /// What single pairing keys set up; one of these is used up once its passcode was right, and must have been.
  var pairings: [String: Pairing] = [:]
  /// What is in force: the secret of each device and user.
  private(set) var bindings: [Binding: [UInt8]?] = [:]
  /// What a passcode's first check says, once for each check.
  var passcodeOutcomes: [String] = []
  /// The passcodes that were checked.
  private(set) var passcodes: [String] = []
  /// Whether it takes no new keys from those whom it knows.
  var refusesKeys = false
  /// The batches that wait to be fetched; without one a fetch waits for ever.
  var batches: [Result<PushBatch, PlatformError>] = [] {
    didSet {
      let waiting = waitingFetch
      waitingFetch = nil
      waiting?.resume()
    }
  }
  /// Every push channel that was heard, with its token.
  private(set) var channels: [(geography: Geography, channel: PushChannel, token: String?)] = []
  /// Who is paired, as the platform of a geography knows it.
  var records: [Geography: [DeviceRecord]] = [:]
  /// Whether an administrator waits for logs.
  var areLogsRequested = false
  /// Every report that was heard.
  private(set) var reports: [String] = []
  /// What a claimed code is.
  var code = Code()
  /// What single codes are, each by itself; these have an end here too.
  var codes: [String: Code] = [:]

  /// Keys that it has beside its first.
  var newKeys: [JWK] = []
  let key: PrivateKey
  static let keyID = "platform-1"
  private var waitingFetch: UnsafeContinuation<Void, Never>?

  /// A pairing whose passcode is to be checked.
  private struct Begun {
    let device: String
    let pairing: Pairing
    /// Whether its passcode was right, so that its key is used up.
    var isOver = false
    /// Whether another took its place, or it was ended.
    var isGone = false

    var binding: Binding { Binding(device: device, user: pairing.user.id) }
  }

  /// A device that was introduced.
  private struct Device {
    var key: String
    /// The key of a rotation, which counts from the first proof by it.
    var nextKey: String?
  }

  private var devices: [String: Device] = [:]
  private var generation = 0
  private var begun: [String: Begun] = [:]
  private let clock: TestClock

  init(clock: TestClock) throws {
    self.clock = clock
    key = try PrivateKey.generateP256()
  }

  /// Leaves whoever fetches pushes waiting for ever.
  func abandonFetch() { waitingFetch = nil }

  /// Knows no device any more, and gives new ids from now on.
  func forgetDevices() {
    (devices, bindings, begun) = ([:], [:], [:])
    generation += 1
  }

  /// Whether a key is one by which a device can prove itself.
  func takes(_ keys: IdentityKeys, of identity: Identity) -> Bool {
    guard let device = identity.deviceID.flatMap({ devices[$0] }) else { return false }
    return [device.key, device.nextKey].contains(keys.deviceThumbprint)
  }

  /// The key that a device proves itself by now.
  func key(of identity: Identity) -> String? { identity.deviceID.flatMap { devices[$0]?.key } }

  /// Sees a proof by the new keys of a device, as from a machine that has been set back to an older state since.
  func see(_ keys: IdentityKeys, of identity: Identity) throws(PlatformError) {
    try admit(identity.deviceID, keys)
  }

  /// The id of an owner's device, if it is or were introduced now.
  func device(of owner: uid_t, in geography: Geography = .northAmerica) -> String {
    let place = geography == .northAmerica ? "" : "-\(geography.rawValue)"
    return "d-\(owner)\(place)" + (generation == 0 ? "" : "-\(generation)")
  }

  private func admit(_ device: String?, _ keys: IdentityKeys) throws(PlatformError) {
    guard let id = device, var device = devices[id] else { throw .deviceUnknown }
    if device.nextKey == keys.deviceThumbprint {
      device = Device(key: keys.deviceThumbprint)
      devices[id] = device
    }
    guard device.key == keys.deviceThumbprint else { throw .deviceUnknown }
  }

  private func carry<R>(
    _ call: Call,
    by identity: Identity? = nil,
    _ effect: () throws(PlatformError) -> R
  ) async throws(PlatformError) -> R {
    if case .pushes = call {} else { calls.append(call) }
    // A request that is on its way stays as it was made.
    let (device, keys) = (identity?.deviceID, identity?.keys)
    try await weather(call, .request)
    if let keys { try admit(device, keys) }
    let result = try effect()
    try await weather(call, .reply)
    return result
  }

  func keys(of record: PlatformRecord) async throws(PlatformError) -> PlatformKeys {
    try await carry(.keys) { () throws(PlatformError) in
      PlatformKeys(keys: [JWK(key.publicKey, keyID: Self.keyID)] + newKeys, version: 1 + newKeys.count)
    }
  }

  func trust(_ identity: Identity) async throws(PlatformError) -> PlatformTrust {
    let keys = identity.keys
    return try await carry(.trust) { () throws(PlatformError) in
      let device = device(of: identity.owner, in: identity.geography)
      devices[device] = Device(key: keys.deviceThumbprint)
      return PlatformTrust(
        deviceID: device,
        keys: [JWK(key.publicKey, keyID: Self.keyID)],
        keysVersion: 1,
        issuers: ["https://platform.example/as", "https://elsewhere.example/as"]
      )
    }
  }

  func setPushChannel(
    _ identity: Identity,
    _ channel: PushChannel,
    token: String?
  ) async throws(PlatformError) -> Bool {
    try await carry(.registerPush, by: identity) { () throws(PlatformError) in
      channels.append((identity.geography, channel, token))
      return channel.isEnabled
    }
  }

  func info(_ identity: Identity) async throws(PlatformError) -> PlatformInfo {
    try await carry(.info(identity.geography), by: identity) { () throws(PlatformError) in
      PlatformInfo(users: records[identity.geography] ?? [], areLogsRequested: areLogsRequested)
    }
  }

  func testPush(_ identity: Identity) async throws(PlatformError) -> String {
    try await carry(.testPush, by: identity) { () throws(PlatformError) in "test-\(calls.count)" }
  }

  func sendLogs(_ identity: Identity, _ report: LogReport) async throws(PlatformError) -> String {
    try await carry(.sendLogs, by: identity) { () throws(PlatformError) in
      reports.append(report.text)
      areLogsRequested = false
      return "support-\(reports.count)"
    }
  }

  func pair(_ identity: Identity, key: String) async throws(PlatformError) -> PlatformPairing {
    let device = identity.deviceID ?? ""
    return try await carry(.pair(key), by: identity) { () throws(PlatformError) in
      let known = begun["pairing-\(key)"]
      let pairing = pairings[key] ?? pairing
      if pairings[key] != nil, known.map({ $0.isOver || $0.isGone || $0.device != device }) ?? false {
        throw .refused(.pairingKey)
      }
      if let geography = pairing.geography, geography != identity.geography { throw .elsewhere(geography) }
      var authenticators = [PairedAuthenticator(type: "PUSH", status: "COMPLETED")]
      let record = DeviceRecord(
        user: pairing.user,
        environment: pairing.environment,
        device: "pairing-\(key)",
        isPushEnabled: true
      )
      records[identity.geography, default: []].removeAll { $0.user == pairing.user }
      records[identity.geography, default: []].append(record)
      begun["pairing-\(key)"] = Begun(device: device, pairing: pairing)
      if pairing.secret == nil {
        bindings[Binding(device: device, user: pairing.user.id)] = .some(nil)
      }
      if !pairing.isPushWorking { authenticators = [PairedAuthenticator(type: "PUSH", status: "FAILED")] }
      return PlatformPairing(
        id: "pairing-\(key)",
        user: pairing.user,
        environment: pairing.environment,
        authenticators: authenticators,
        oath: pairing.secret.map {
          PlatformPairing.OATH(secret: Secret(copying: $0), algorithm: .sha1, digits: 6, period: 30)
        }
      )
    }
  }

  func checkPasscode(
    _ identity: Identity,
    pairing: String,
    passcode: String
  ) async throws(PlatformError) -> String? {
    try await carry(.checkPasscode, by: identity) { () throws(PlatformError) -> String? in
      passcodes.append(passcode)
      if !passcodeOutcomes.isEmpty { return passcodeOutcomes.removeFirst() }
      guard let known = begun[pairing], !known.isGone, let secret = known.pairing.secret else {
        throw .refused(.notFound)
      }
      // The answer to the first check may have been lost; it changes nothing a second time.
      if known.isOver { return nil }
      guard try isRight(passcode, for: secret) else { return "InvalidOneTimePasscode" }
      end(known.binding)
      bindings[known.binding] = secret
      begun[pairing]?.isOver = true
      begun[pairing]?.isGone = false
      return nil
    }
  }

  /// Ends what a device and a user have, with what was begun for them.
  private func end(_ binding: Binding) {
    bindings[binding] = nil
    for (id, known) in begun where known.binding == binding { begun[id]?.isGone = true }
  }

  /// Whether a passcode is one of the last hour, however long it was on its way.
  private func isRight(_ passcode: String, for secret: [UInt8]) throws(PlatformError) -> Bool {
    do {
      let totp = try TOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: 6, period: 30)
      let window = totp.window(at: clock.now)
      return try (window - 120...window + 1).contains { try totp.passcode(window: $0) == passcode }
    } catch { throw .failed }
  }

  func pushes(_ identity: Identity, after cursor: String?, wait: Int) async throws(PlatformError) -> PushBatch
  {
    while batches.isEmpty { await withUnsafeContinuation { waitingFetch = $0 } }
    let batch = batches.removeFirst()
    return try await carry(.pushes(cursor: cursor), by: identity) { () throws(PlatformError) in
      try batch.get()
    }
  }

  func status(_ identity: Identity, push: String) async throws(PlatformError) -> PushStatus {
    try await carry(.status(push), by: identity) { () throws(PlatformError) in outcomes[push] ?? .pending }
  }

  func answer(_ identity: Identity, push: String, decision: String, posture: JSON) async throws(PlatformError)
    -> AnswerOutcome
  {
    let key = identity.keys.answer
    return try await carry(.answer(push), by: identity) { () throws(PlatformError) in
      postures.append(posture)
      let claims = try Self.claims(of: decision, by: key)
      guard claims["notification"]?.string == push else { throw .failed }
      decisions.append((push, claims))
      if let lock { return .locked(lock) }
      let wanted: PushStatus = claims["decision"] == "approve" ? .approved : .denied
      if let outcome = outcomes[push] {
        // The same again is taken; the same as somebody else decided is not.
        return accepted[push] == claims ? .accepted(confirmationInfo: nil) : .settled(outcome)
      }
      if wanted == .approved, let number = numbers[push], claims["number"]?.int != number {
        tries -= 1
        if tries == 0 { outcomes[push] = .denied }
        return .wrongNumber(triesLeft: tries)
      }
      outcomes[push] = wanted
      accepted[push] = claims
      return .accepted(confirmationInfo: wanted == .approved ? ["confirmed": true] : nil, lock: locks[push])
    }
  }

  func claim(_ identity: Identity, code text: String, waitsForOwner: Bool) async throws(PlatformError)
    -> PlatformCode
  {
    try await carry(.claim(text), by: identity) { () throws(PlatformError) in
      if let known = codes[text], known.deadline == nil {
        codes[text]?.deadline = clock.uptime + .seconds(known.lifetime)
      }
      let code = codes[text] ?? code
      return PlatformCode(
        requestID: code.request,
        status: waitsForOwner ? .claimed : code.status,
        users: code.users,
        userApproval: code.userApproval,
        clientContext: ["app": "desk"],
        lifetime: code.lifetime
      )
    }
  }

  func answer(_ identity: Identity, code request: String, decision: String) async throws(PlatformError)
    -> AuthenticationObject.Status
  {
    let key = identity.keys.answer
    return try await carry(.answerCode(request), by: identity) { () throws(PlatformError) in
      let claims = try Self.claims(of: decision, by: key)
      decisions.append((request, claims))
      let outcome: AuthenticationObject.Status = claims["decision"] == "approve" ? .completed : .denied
      guard let text = codes.first(where: { $0.value.request == request })?.key else {
        code.outcome = code.outcome ?? outcome
        return code.outcome ?? outcome
      }
      let isOver = codes[text]?.deadline.map { clock.uptime >= $0 } ?? false
      let end = codes[text]?.outcome ?? (isOver ? .expired : outcome)
      codes[text]?.outcome = end
      return end
    }
  }

  func setNickname(_ identity: Identity, user: String, _ nickname: String) async throws(PlatformError) {
    try await carry(.setNickname(nickname), by: identity) { () throws(PlatformError) in }
  }

  func unpair(_ identity: Identity, user: String) async throws(PlatformError) {
    let device = identity.deviceID ?? ""
    return try await carry(.unpair(user), by: identity) { () throws(PlatformError) in
      end(Binding(device: device, user: user))
    }
  }

  func rotateKeys(
    _ identity: Identity,
    to next: IdentityKeys,
    provenBy keys: IdentityKeys
  ) async throws(PlatformError) {
    let device = identity.deviceID
    return try await carry(.rotateKeys) { () throws(PlatformError) in
      try admit(device, keys)
      if refusesKeys { throw .refused(.failedPolicy) }
      if let device, keys.deviceThumbprint != next.deviceThumbprint {
        devices[device]?.nextKey = next.deviceThumbprint
      }
    }
  }

  /// The claims of a decision that this device's answer key signed.
  private static func claims(of decision: String, by key: PrivateKey) throws(PlatformError) -> JSONObject {
    do {
      let token = try CompactJWS(parsing: decision)
      guard token.header.type == "decision+jwt" else { throw PlatformError.failed }
      return try token.verified(with: JWK(key.publicKey), allowing: [.es256]).claims()
    } catch { throw .failed }
  }
}
