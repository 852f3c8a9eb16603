import EventLoop

/// All notifications, in the order of their sequence numbers.
struct NotificationLog: Codable {
  private enum CodingKeys: CodingKey { case name, lastSequence }

  var shelf = RecordStore<Notification>()
  private var pending = PendingNotifications()
  private(set) var lastSequence: Int
  /// Part of each cursor, which distinguishes the cursors of this log from the cursors of another sandbox.
  let name: String

  init(name: String = randomText(8, of: codeAlphabet), lastSequence: Int = 0) {
    self.name = name
    self.lastSequence = lastSequence
  }

  var all: [Notification] { shelf.all }

  /// Returns the pending and done notifications of a device.
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

  /// Returns the notifications that expired without an answer, in the order of expiry; each is returned once.
  mutating func takeExpired(by clock: SandboxClock) -> [Notification] {
    pending.takeExpired(by: clock).compactMap { shelf[$0] }
  }

  /// Returns the cursor after a notification.
  func cursor(after sequence: Int) -> String { "\(name).\(sequence)" }

  /// Returns the sequence number of a cursor, `nil` if the cursor is not from this log.
  func sequence(of cursor: String) -> Int? {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == name, let sequence = Int(parts[1]) else { return nil }
    return (0...lastSequence).contains(sequence) ? sequence : nil
  }
}

/// Notifications that may still be answered, or have expired and are not yet processed.
private struct PendingNotifications {
  private var deadlines: [ID<Notification>: EndTime] = [:]
  /// The earliest deadline; until then, requests need not check the individual deadlines.
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

/// Wakes the long polls of a device after changes that concern the device.
@EventLoop
final class PollNotifier {
  private var listeners: [ID<TrustedDevice>: [NotificationWaiter]] = [:]

  nonisolated init() {}

  /// Returns a waiter that is notified of every ring for these devices from now on.
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

  /// Wakes a device's polls; a poll that listens, but does not wait yet, then will not wait.
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

  /// Waits for a ring, for the time limit, or for the cancellation of the task.
  func wait(atMost limit: Duration) async {
    guard !hasHeard else { return }
    let nap = EventLoop.task {
      // A cancelled sleep is not a failure.
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
