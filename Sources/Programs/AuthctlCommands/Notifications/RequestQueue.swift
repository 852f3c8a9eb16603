internal import ControlAPI
internal import ControlClient

/// Requests that wait to be looked at, each once, the oldest first.
struct RequestQueue {
  private var waiting: [NotificationObject] = []
  private var seen: Set<String> = []

  /// Those that are there at the beginning, the newest first.
  init(_ standing: [NotificationObject]) { add(standing) }

  mutating func next() -> NotificationObject? { waiting.isEmpty ? nil : waiting.removeFirst() }

  mutating func add(_ list: [NotificationObject]) {
    for notification in list.reversed() { add(notification) }
  }

  /// What a change says of a request: that it came, or that it waits no longer.
  mutating func add(_ event: Event) {
    guard let changed: NotificationObject = event.changed(.notification) else { return }
    if changed.canBeAnswered { add(changed) } else { waiting.removeAll { $0.id == changed.id } }
  }

  private mutating func add(_ notification: NotificationObject) {
    if seen.insert(notification.id).inserted { waiting.append(notification) }
  }
}
