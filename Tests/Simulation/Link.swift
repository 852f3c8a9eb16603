internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import UnixSockets
internal import WebAddress

/// The courier and the network behind it: carries what it is given as well as the weather lets it, while it lives.
@EventLoop
final class Link {
  /// Whether a courier is there.
  var isUp = true {
    didSet { if !isUp { drop() } }
  }

  private let world: World
  private let platform: Platform
  private let secrets: Secrets
  private let listener: Descriptor
  private var watch: Watch?
  private var lines: [Line] = []
  /// What came for somebody before, which a courier that forges hands out again.
  private var stale: CourierResponse?

  init(at path: String, _ world: World, to platform: Platform, _ secrets: Secrets) throws {
    (self.world, self.platform, self.secrets) = (world, platform, secrets)
    listener = try UnixSocket.listen(at: path, mode: 0o600)
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
  }

  func end() {
    watch?.cancel()
    drop()
  }

  /// Ends all connections, as when the courier dies; another may be there at once.
  func drop() {
    for line in lines { line.close() }
    lines = []
  }

  private func accept() {
    while let descriptor = try? UnixSocket.accept(from: listener) {
      guard isUp, let line = try? Line(descriptor) else { continue }
      line.onOrder = { [weak self, weak line] order in if let line { self?.take(order, from: line) } }
      line.onClose = { [weak self, weak line] in self?.lines.removeAll { $0 === line } }
      lines.append(line)
    }
  }

  private func take(_ order: CourierOrder, from line: Line) {
    switch order {
    case .request(let id, let request): carry(request, id, on: line)
    case .cancel(let id): if !world.happens(world.weather.slow) { line.open.remove(id) }
    case .listen, .subscribe: world.violate("the courier is asked for what nobody wanted")
    }
  }

  private func carry(_ request: CourierRequest, _ id: ExchangeID, on line: Line) {
    secrets.look(at: request, world)
    world.detail("the courier is given \(id.rawValue) \(request.method) \(request.url.path)")
    line.open.insert(id)
    if request.method != .get { world.left() }
    let (weather, sentAt) = (world.weather, world.clock.uptime)
    if world.happens(weather.hanging) { return }
    EventLoop.after(request.timeout) { line.answer(.failure(id, .timeout), id) }
    if world.happens(weather.lost) {
      let failure = world.any(of: [CourierFailure.unresolved, .refused, .unreachable]) ?? .refused
      EventLoop.after(world.delay()) { line.answer(.failure(id, failure), id) }
      return
    }
    let times = world.happens(weather.doubled) ? 2 : 1
    for time in 1...times {
      EventLoop.after(world.delay(slow: weather.slow)) { [weak self] in
        self?.platform.hear(request, sentAt: sentAt) { response in
          // Of what was carried twice the first response counts.
          if time == 1 { self?.bringBack(response, id, on: line) }
        }
      }
    }
  }

  private func bringBack(_ response: CourierResponse, _ id: ExchangeID, on line: Line) {
    let weather = world.weather
    var reply = CourierReply.response(id, response)
    if world.happens(weather.lost) {
      reply = .failure(id, world.any(of: [.unreachable, .timeout]) ?? .timeout)
    } else if world.happens(weather.garbled) {
      let other = CourierResponse(status: 502, headers: [], body: Array("bad".utf8))
      reply = .response(id, world.happens(50) ? stale ?? other : other)
    }
    stale = response
    let times = world.happens(weather.doubled) ? 2 : 1
    world.detail("\(id.rawValue) comes back")
    EventLoop.after(world.delay(slow: weather.slow)) {
      for _ in 1...times { line.answer(reply, times == 1 ? id : nil) }
    }
  }
}

/// One connection of a daemon to the courier.
@EventLoop
private final class Line {
  var onOrder: (@EventLoop (CourierOrder) -> Void)?
  var onClose: (@EventLoop () -> Void)?
  /// What nobody has been told of yet.
  var open: Set<ExchangeID> = []

  private let stream: StreamConnection
  private var reader = CourierFrameReader()

  init(_ descriptor: Descriptor) throws {
    stream = StreamConnection(descriptor)
    stream.onBytes = { [weak self] in self?.take($0) }
    stream.onClose = { [weak self] in self?.onClose?() }
    try stream.start()
  }

  func close() { stream.close() }

  /// Answers what is still open; without an id also what is not.
  func answer(_ reply: CourierReply, _ id: ExchangeID?) {
    if let id, open.remove(id) == nil { return }
    if let frame = CourierFrame.encode(reply.serialized) { stream.send(frame) }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    while let message = try? reader.next() {
      guard let order = try? CourierOrder(parsing: message) else { return close() }
      onOrder?(order)
    }
  }
}
