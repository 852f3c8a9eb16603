import EventLoop

/// Wakes the long polls of a device when there is something for it.
@EventLoop
final class Bells {
  private var listeners: [ID<TrustedDevice>: [Listener]] = [:]

  nonisolated init() {}

  /// Somebody who hears every ring from now on.
  func listen(for device: ID<TrustedDevice>) -> Listener {
    let listener = Listener(device: device)
    listeners[device, default: []].append(listener)
    return listener
  }

  func dismiss(_ listener: Listener) {
    listeners[listener.device]?.removeAll { $0 === listener }
    if listeners[listener.device]?.isEmpty ?? false { listeners[listener.device] = nil }
  }

  /// Ends the waiting of a device's polls, also of those that have not begun to wait.
  func ring(for device: ID<TrustedDevice>) { for listener in listeners[device] ?? [] { listener.hear() } }
}

@EventLoop
final class Listener {
  fileprivate let device: ID<TrustedDevice>
  private var hasHeard = false
  private var nap: Task<Void, Never>?

  fileprivate init(device: ID<TrustedDevice>) { self.device = device }

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
