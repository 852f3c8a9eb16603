internal import CSystemd
public import EventLoop
internal import Glibc
internal import SystemCalls

/// A connection to a message bus, on the loop.
///
/// The library makes no callbacks. The loop reads each message that the library does not answer itself,
/// handles replies and signals, and ignores other messages.
@EventLoop
public final class Bus {
  public enum Kind: Sendable {
    /// The bus of the user's session.
    case session
    /// The bus of the machine.
    case system
  }

  /// Called for each signal before its values are read; returns true if the values shall be read.
  public var onHead: (@EventLoop (BusSignal) -> Bool)?
  /// Called for each signal that `onHead` accepts.
  ///
  /// The bus delivers signals that match a rule of `listen`, and signals sent directly to this connection.
  public var onSignal: (@EventLoop (BusSignal) -> Void)?
  /// Called once when the connection has ended.
  public var onEnd: (@EventLoop () -> Void)?

  private let bus: OpaquePointer
  private var watch: Watch?
  private var waiting: [UInt64: CheckedContinuation<Result<BusReply, BusError>, Never>] = [:]

  /// Maximum number of messages per loop iteration, so that a flood does not block the loop.
  private static let messagesPerTurn = 64

  /// Connects to a bus; the first reply shows whether the bus accepts this program.
  public init(_ kind: Kind) throws(BusError) {
    var made: OpaquePointer?
    let code = kind == .session ? sd_bus_open_user(&made) : sd_bus_open_system(&made)
    guard code >= 0, let made else { throw .failed(code: -code) }
    bus = made
    do {
      watch = try EventLoop.watch(sd_bus_get_fd(made), for: .readable) { [weak self] _ in self?.process() }
    } catch {
      sd_bus_close_unref(made)
      throw .failed(code: error.code)
    }
    scheduleProcess()
  }

  /// Flushes sent messages and ends the connection.
  public func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    let (onEnd, waiting) = (onEnd, waiting)
    (self.onEnd, onHead, onSignal, self.waiting) = (nil, nil, nil, [:])
    sd_bus_flush_close_unref(bus)
    for waiter in waiting.values { waiter.resume(returning: .failure(.disconnected)) }
    onEnd?()
  }

  /// Calls a method and returns its reply.
  ///
  /// `limit`: maximum time to wait; `nil` waits until the called program replies or leaves the bus.
  @discardableResult
  public func call(_ call: BusCall, within limit: Duration? = .seconds(25)) async throws(BusError)
    -> BusReply
  {
    let cookie = try send(call)
    let timer = limit.map { limit in
      EventLoop.after(limit) { [weak self] in self?.resume(cookie, .failure(.timedOut)) }
    }
    defer { timer?.cancel() }
    return try await withCheckedContinuation { waiting[cookie] = $0 }.get()
  }

  /// Subscribes to the signals that a match rule describes.
  public func listen(for rule: String) async throws(BusError) {
    try await call(.toTheBus("AddMatch", [.string(rule)]))
  }

  private func send(_ call: BusCall) throws(BusError) -> UInt64 {
    guard watch != nil else { throw .disconnected }
    let message = try call.message(on: bus)
    defer { sd_bus_message_unref(message) }
    var cookie: UInt64 = 0
    let code = sd_bus_send(bus, message, &cookie)
    guard code >= 0 else { throw .failed(code: -code) }
    scheduleProcess()
    return cookie
  }

  /// Writes queued messages and reads arrived messages before the loop waits again.
  private func scheduleProcess() { EventLoop.atEndOfTurn { [weak self] in self?.process() } }

  private func process() {
    for _ in 0..<Self.messagesPerTurn {
      guard watch != nil else { return }
      var message: OpaquePointer?
      let code = sd_bus_process(bus, &message)
      guard code >= 0 else { return close() }
      if let message {
        defer { sd_bus_message_unref(message) }
        take(message)
      } else if code == 0 {
        return updateInterest()
      }
    }
    // The library may have read further messages already, for which the descriptor does not become readable.
    EventLoop.after(.zero) { [weak self] in self?.process() }
  }

  private func updateInterest() {
    let events = sd_bus_get_events(bus)
    guard events >= 0 else { return close() }
    var interest: Interest = []
    if events & POLLIN != 0 { interest.insert(.readable) }
    if events & POLLOUT != 0 { interest.insert(.writable) }
    watch?.interest = interest
  }

  private func take(_ message: OpaquePointer) {
    var type: UInt8 = 0
    guard sd_bus_message_get_type(message, &type) >= 0 else { return }
    var cookie: UInt64 = 0
    switch Int(type) {
    case Int(SD_BUS_MESSAGE_METHOD_RETURN) where sd_bus_message_get_reply_cookie(message, &cookie) >= 0:
      let sender = sd_bus_message_get_sender(message).map { String(cString: $0) }
      resume(cookie, .success(BusReply(sender: sender, values: BusValue.all(of: message))))
    case Int(SD_BUS_MESSAGE_METHOD_ERROR) where sd_bus_message_get_reply_cookie(message, &cookie) >= 0:
      let name = sd_bus_message_get_error(message)?.pointee.name.map { String(cString: $0) }
      resume(cookie, .failure(.refused(name: name ?? "")))
    case Int(SD_BUS_MESSAGE_SIGNAL):
      guard let head = BusSignal(headOf: message) else { return }
      // The library itself generates this signal when the peer has closed the connection.
      if head.isEndOfBus { return close() }
      guard onHead?(head) ?? true else { return }
      let signal = head.with(BusValue.all(of: message))
      // The call runs as a task, so that the receivers of earlier replies run first.
      EventLoop.task { [weak self] in self?.onSignal?(signal) }
    default: break
    }
  }

  private func resume(_ cookie: UInt64, _ outcome: Result<BusReply, BusError>) {
    waiting.removeValue(forKey: cookie)?.resume(returning: outcome)
  }
}
