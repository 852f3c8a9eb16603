import EventLoop

/// All notifications, in the order in which cursors count them.
struct NotificationLog: Codable {
  private enum CodingKeys: CodingKey { case name, lastSequence }

  var shelf = Shelf<Notification>()
  private var pending = PendingNotifications()
  private(set) var lastSequence: Int
  /// Tells this log's cursors from those of another sandbox.
  let name: String

  init(name: String = randomText(8, of: codeAlphabet), lastSequence: Int = 0) {
    self.name = name
    self.lastSequence = lastSequence
  }

  var all: [Notification] { shelf.all }

  /// What may still concern a device.
  func outstanding(for device: ID<TrustedDevice>) -> [Notification] { shelf.all(by: device.text) }

  subscript(_ id: ID<Notification>) -> Notification? { shelf[id] }

  mutating func nextSequence() -> Int {
    lastSequence += 1
    return lastSequence
  }

  mutating func findPending() {
    pending = PendingNotifications()
    for notification in shelf.all { pending.note(notification) }
  }

  mutating func put(_ notification: Notification) {
    pending.note(notification)
    shelf.put(notification)
  }

  /// Those that nobody has answered in time, in the order in which they ended; each is handed out once.
  mutating func takeExpired(by clock: SandboxClock) -> [Notification] {
    pending.takeExpired(by: clock).compactMap { shelf[$0] }
  }

  /// The cursor behind a notification, or behind all.
  func cursor(after sequence: Int) -> String { "\(name).\(sequence)" }

  /// The sequence that a cursor stands for; `nil` if it is none of this log's.
  func sequence(of cursor: String) -> Int? {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == name, let sequence = Int(parts[1]) else { return nil }
    return (0...lastSequence).contains(sequence) ? sequence : nil
  }
}

/// Those that may still be answered, or have expired unnoticed.
private struct PendingNotifications {
  private var deadlines: [ID<Notification>: EndTime] = [:]
  /// Until then none of them ends, so that nobody looks at each for every request.
  private var first: EndTime?

  mutating func note(_ notification: Notification) {
    guard notification.state == .pending else {
      deadlines[notification.id] = nil
      return
    }
    deadlines[notification.id] = notification.deadline
    first = [first, notification.deadline].compactMap(\.self).min(by: Self.isSooner)
  }

  mutating func takeExpired(by clock: SandboxClock) -> [ID<Notification>] {
    guard let first, clock.isOver(first) else { return [] }
    let expired = deadlines.filter { clock.isOver($0.value) }
    for id in expired.keys { deadlines[id] = nil }
    self.first = deadlines.values.min(by: Self.isSooner)
    return expired.sorted { Self.isSooner($0.value, $1.value) }.map(\.key)
  }

  private static func isSooner(_ one: EndTime, _ other: EndTime) -> Bool { one.instant < other.instant }
}

/// Wakes the long polls of devices when there is something for it.
@EventLoop
final class Bells {
  private var listeners: [ID<TrustedDevice>: [NotificationWaiter]] = [:]

  nonisolated init() {}

  /// Somebody who hears every ring for some devices from now on.
  func listen(for devices: [ID<TrustedDevice>]) -> NotificationWaiter {
    let listener = NotificationWaiter(devices: devices)
    for device in devices { listeners[device, default: []].append(listener) }
    return listener
  }

  func dismiss(_ listener: NotificationWaiter) {
    for device in listener.devices {
      listeners[device]?.removeAll { $0 === listener }
      if listeners[device]?.isEmpty ?? false { listeners[device] = nil }
    }
  }

  /// Ends the waiting of a device's polls, also of those that have not begun to wait.
  func ring(for device: ID<TrustedDevice>) { for listener in listeners[device] ?? [] { listener.hear() } }
}

@EventLoop
final class NotificationWaiter {
  fileprivate let devices: [ID<TrustedDevice>]
  private var hasHeard = false
  private var nap: Task<Void, Never>?

  fileprivate init(devices: [ID<TrustedDevice>]) { self.devices = devices }

  fileprivate func hear() {
    hasHeard = true
    nap?.cancel()
  }

  /// Waits until the bell has rung or the time is over; a cancelled task waits no longer.
  func wait(atMost limit: Duration) async {
    guard !hasHeard else { return }
    let nap = EventLoop.task {
      // Being woken is no failure.
      _ = try? await EventLoop.sleep(for: limit)
    }
    self.nap = nap
    await withTaskCancellationHandler {
      await nap.value
    } onCancel: {
      nap.cancel()
    }
  }
}
