internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import TestCourier
internal import UnixSockets
internal import WebAddress

/// The courier and its network.
///
/// Delivers requests subject to the current faults.
@EventLoop
final class Link {
  /// Behaviour of the socket while the courier is absent.
  enum Absence: CaseIterable {
    /// There is no socket.
    case unreachable
    /// The socket accepts connections, which end immediately.
    case ending
    /// The socket accepts connections and data. The courier reads the data after its return.
    case silent
  }

  private var absence: Absence?
  private var leftAt = Duration.zero
  /// Uptime of the last return.
  private var backAt: Duration?
  private let world: World
  private let platform: Platform
  private let secrets: Secrets
  private let path: String
  private var listener: Descriptor?
  private var watch: Watch?
  private var lines: [Line] = []
  /// An earlier response, which a forging courier returns again.
  private var stale: CourierResponse?

  init(at path: String, _ world: World, to platform: Platform, _ secrets: Secrets) throws {
    (self.world, self.platform, self.secrets, self.path) = (world, platform, secrets, path)
    try listen()
  }

  private func listen() throws {
    let listener = try self.listener ?? UnixSocket.listen(at: path, mode: 0o600)
    self.listener = listener
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
  }

  private func stopListening() {
    watch?.cancel()
    watch = nil
  }

  func end() {
    stopListening()
    drop()
  }

  /// Makes the courier absent.
  func leave(_ absence: Absence) {
    if self.absence == nil { leftAt = world.clock.uptime }
    self.absence = absence
    drop()
    if absence != .ending { stopListening() }
    if absence == .unreachable {
      listener = nil
      unlink(path)
    }
  }

  func comeBack() {
    guard absence != nil else { return }
    (absence, backAt) = (nil, world.clock.uptime)
    do { if watch == nil { try listen() } } catch { world.violate("there is no courier: \(error)") }
  }

  /// Closes all connections, as if the courier died.
  ///
  /// A new courier may be available immediately.
  func drop() {
    for line in lines { line.wire.close() }
    lines = []
  }

  private func accept() {
    while let listener, let descriptor = try? UnixSocket.accept(from: listener) {
      guard absence == nil, let line = try? Line(descriptor) else { continue }
      line.wire.onOrder = { [weak self, weak line] order in if let line { self?.take(order, from: line) } }
      line.wire.onClose = { [weak self, weak line] in self?.lines.removeAll { $0 === line } }
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
    // Data read immediately after the return may have been sent during the absence.
    let sentAt = backAt == world.clock.uptime ? leftAt : world.clock.uptime
    let weather = world.weather
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
          // Only the first response to a duplicated request is used.
          if time == 1 { self?.bringBack(response, to: request, id, on: line) }
        }
      }
    }
  }

  private func bringBack(
    _ response: CourierResponse,
    to request: CourierRequest,
    _ id: ExchangeID,
    on line: Line
  ) {
    var weather = world.weather
    if let outage = world.outage, request.url.path.hasSuffix("/" + outage) { weather.lost = 60 }
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
  let wire: CourierLine
  /// Exchanges without a reply.
  var open: Set<ExchangeID> = []

  init(_ descriptor: Descriptor) throws { wire = try CourierLine(descriptor) }

  /// Replies to an open exchange.
  ///
  /// Without an ID, replies regardless of the state.
  func answer(_ reply: CourierReply, _ id: ExchangeID?) {
    if let id, open.remove(id) == nil { return }
    wire.send(reply)
  }
}
