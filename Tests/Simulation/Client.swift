internal import Connections
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC

/// A client program of one user, with one connection.
@EventLoop
final class Client {
  /// The outcome of a request.
  enum Outcome {
    case result(JSON)
    case error(code: Int, JSON)
    /// The connection ended before a reply.
    case gone
  }

  let owner: uid_t
  private(set) var isOpen = true
  /// The last state of each object that an event reported, by ID; `nil` without a subscription.
  private(set) var heard: [String: String]?
  private let world: World
  private let judge: Judge
  private let stream: StreamConnection
  private var framer = LineFramer(maximumLength: 1 << 20)
  private var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var count = 0
  private var sequence = 0

  init(of owner: uid_t, at machine: Machine, _ world: World, _ judge: Judge) throws {
    (self.owner, self.world, self.judge) = (owner, world, judge)
    stream = StreamConnection(try machine.connect(owner))
    stream.onBytes = { [weak self] in self?.take($0) }
    stream.onClose = { [self] in end() }
    try stream.start()
  }

  /// Number of requests without a reply.
  var unanswered: Int { waiting.count }

  func ask(_ method: String, _ params: JSON = [:]) async -> Outcome {
    guard isOpen else { return .gone }
    count += 1
    let number = count
    let request: JSON = ["jsonrpc": "2.0", "id": .int(number), "method": .string(method), "params": params]
    stream.send(request.serialized + [UInt8(ascii: "\n")])
    let outcome = await withCheckedContinuation { waiting[number] = $0 }
    if case .error(let code, let error) = outcome { world.note("\(owner) \(method): \(code) \(error.brief)") }
    return outcome
  }

  func subscribe() async {
    guard case .result = await ask("event.subscribe") else { return }
  }

  /// Disconnects, even with pending requests.
  func close() { stream.close() }

  private func end() {
    isOpen = false
    let waiting = waiting.sorted { $0.key < $1.key }
    self.waiting = [:]
    for (_, continuation) in waiting { continuation.resume(returning: .gone) }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    framer.take(bytes)
    while let event = framer.next() {
      guard case .line(let line) = event, let message = try? JSON(parsing: line) else {
        return world.violate("a client gets no line of JSON")
      }
      judge.looks(at: line, of: owner)
      if message["method"] == "event" {
        hear(message["params"] ?? .null)
      } else if let number = message["id"]?.int, let continuation = waiting.removeValue(forKey: number) {
        if message["result"] != nil { world.left() }
        if let subscription = message["result"]?["subscription"], subscription.string != nil { heard = [:] }
        let error = message["error"]
        continuation.resume(
          returning: error.map { .error(code: $0["code"]?.int ?? 0, $0["data"] ?? .null) }
            ?? .result(message["result"] ?? .null)
        )
      } else {
        world.violate("\(owner) gets a reply to nothing: \(message.brief)")
      }
    }
  }

  private func hear(_ event: JSON) {
    if heard == nil { world.violate("an event comes before its subscription is known") }
    sequence += 1
    if event["sequence"]?.int != sequence { world.violate("an event is missing") }
    guard event["topic"] == "notification", let payload = event["payload"] else { return }
    judge.sees(payload, of: owner, announced: true)
    if let id = payload["id"]?.string, let state = payload["state"]?.string {
      world.note(
        "\(owner) hears \(payload["title"]?.string.flatMap { Marker.thing(in: $0) } ?? "?"): \(state)"
      )
      heard?[id] = state
    }
  }
}

extension JSON {
  var brief: String { String(String(decoding: serialized, as: UTF8.self).prefix(200)) }
}
