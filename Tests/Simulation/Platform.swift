internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PlatformWire
internal import Time
internal import WebAddress

/// A correct platform: its devices, pairings, pushes and codes, and its responses.
@EventLoop
final class Platform {
  nonisolated static let url = "https://platform.example/base"
  static let environment = "e-1"
  private static let largestBatch = 50

  /// State of the platform.
  ///
  /// It is a value, so that each run begins with the same.
  var state: State
  /// The key that signs responses and decrypts requests.
  private(set) var key: PrivateKey
  /// The previous key.
  ///
  /// It signs announcements, and requests may still be encrypted to it.
  private var earlierKey: PrivateKey?
  unowned let world: World
  unowned let judge: Judge
  private var polls: [HeldPoll] = []

  struct State {
    var devices: [String: Device] = [:]
    /// Enrolments by pairing key.
    var enrolments: [String: Enrolment] = [:]
    var begun: [String: Begun] = [:]
    var pushes: [String: Push] = [:]
    var codes: [String: Code] = [:]
    var proofs: Set<String> = []
    var count = 0
  }

  struct Device {
    var keys: DeviceKeyRing
    /// Users that are paired with the device.
    var users: [String: Enrolment] = [:]
    var outbox: [Message] = []
  }

  struct Enrolment {
    let owner: uid_t
    let user: String
    let secret: [UInt8]
  }

  struct Begun {
    let device: String
    let enrolment: Enrolment
    var isOver = false
    /// True if the platform ever refused a step of it.
    var wasRefused = false
  }

  struct Message {
    let text: String
    /// Uptime from which polls return the message.
    ///
    /// A delayed message may follow later ones.
    let visibleFrom: Duration
  }

  private struct HeldPoll {
    let device: String
    let position: Int
    let answer: @EventLoop (PlatformReply) -> Void
  }

  init(_ state: State, key: PrivateKey, _ world: World, _ judge: Judge) {
    (self.state, self.key, self.world, self.judge) = (state, key, world, judge)
  }

  /// Seconds by the platform's clock.
  var now: Int { world.clock.truth.seconds }

  func nextID(_ prefix: String) -> String {
    state.count += 1
    return "\(prefix)-\(state.count)"
  }

  // MARK: Requests

  /// Handles a request and replies, now or later.
  func hear(
    _ request: CourierRequest,
    sentAt: Duration,
    _ reply: @escaping @EventLoop (CourierResponse) -> Void
  ) {
    do {
      guard request.url.path != "/base/device/v1/platform-keys" else { return reply(try announcement()) }
      let question = try PlatformRequest(opening: request, with: [key] + [earlierKey].compactMap(\.self))
      let answer: @EventLoop (PlatformReply) -> Void = { [self] answer in
        if let response = try? question.seal(answer, at: now, by: key, keyID: keyID) { reply(response) }
      }
      // A duplicated request is executed once.
      guard state.proofs.insert(question.id).inserted else {
        return answer(PlatformReply(401, ["code": "REPLAY"]))
      }
      guard abs(question.issuedAt - now) <= 60 else {
        return answer(PlatformReply(401, ["code": "CLOCK_SKEW"]))
      }
      take(question, sentAt, answer)
    } catch { world.violate("the platform cannot read what it is asked: \(error)") }
  }

  // MARK: Its own keys

  private static let firstKeyID = "platform-1"
  var keyID: String { earlierKey == nil ? Self.firstKeyID : "platform-2" }

  /// Rotates the signing key.
  ///
  /// The previous key signs the announcement of the new one.
  func changeKey() {
    guard earlierKey == nil, let next = try? PrivateKey.generateP256() else { return }
    world.note("the platform has another key")
    (earlierKey, key) = (key, next)
    world.haveKeysChanged = true
  }

  private func announcement() throws -> CourierResponse {
    var keys = [JWK(key.publicKey, keyID: keyID)]
    if let earlierKey { keys.append(JWK(earlierKey.publicKey, keyID: Self.firstKeyID)) }
    return try PlatformReply.announcement(of: keys, by: earlierKey ?? key, keyID: Self.firstKeyID)
  }

  // MARK: Polls

  /// Answers a poll when there are messages or its time has expired.
  func poll(
    _ question: PlatformRequest,
    of device: String,
    _ answer: @escaping @EventLoop (PlatformReply) -> Void
  ) {
    let position = question.query["after"].flatMap(Int.init) ?? 0
    if question.query["after"] != nil, world.happens(world.weather.garbled) {
      return answer(PlatformReply(410))
    }
    let held = HeldPoll(device: device, position: position, answer: answer)
    guard !tell(held) else { return }
    polls.append(held)
    EventLoop.after(.seconds(question.query["wait"].flatMap(Int.init) ?? 0)) { [weak self] in
      guard let self, let index = polls.firstIndex(where: { $0.device == device && $0.position == position })
      else { return }
      polls.remove(at: index).answer(batch([], cursor: position))
    }
  }

  /// Sends a message to a device.
  ///
  /// It becomes visible to polls after a delay.
  func send(_ text: String, to device: String) {
    let visible = world.clock.uptime + world.delay(slow: world.weather.slow)
    state.devices[device]?.outbox.append(Message(text: text, visibleFrom: visible))
    EventLoop.after(visible - world.clock.uptime) { [weak self] in self?.tellAll() }
  }

  private func tellAll() { polls = polls.filter { !tell($0) } }

  private func tell(_ poll: HeldPoll) -> Bool {
    guard let outbox = state.devices[poll.device]?.outbox else {
      poll.answer(.deviceUnknown)
      return true
    }
    let visible = outbox.dropFirst(poll.position).prefix { $0.visibleFrom <= world.clock.uptime }
    guard !visible.isEmpty else { return false }
    var texts = visible.prefix(Self.largestBatch - 1).map(\.text)
    let count = texts.count
    // Other transports deliver twice and in any order, so receivers must tolerate that.
    if world.happens(world.weather.doubled), let again = world.any(of: outbox) { texts.append(again.text) }
    if world.happens(world.weather.slow) { texts.reverse() }
    poll.answer(batch(texts, cursor: poll.position + count, more: count < visible.count))
    return true
  }

  private func batch(_ texts: [String], cursor: Int, more: Bool = false) -> PlatformReply {
    PlatformReply(
      200,
      ["notifications": .strings(texts), "cursor": .string("\(cursor)"), "more": .bool(more)]
    )
  }
}
