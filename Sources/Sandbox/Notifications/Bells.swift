import EventLoop

/// Wakes the long polls of a device when there is something for it.
@EventLoop
final class Bells {
  private var naps: [ID<TrustedDevice>: Set<Task<Void, Never>>] = [:]

  nonisolated init() {}

  /// Ends the waiting of a device's polls.
  func ring(for device: ID<TrustedDevice>) {
    for nap in naps[device] ?? [] { nap.cancel() }
  }

  /// Waits until the bell rings or the time is over; a cancelled task waits no longer.
  func wait(for device: ID<TrustedDevice>, atMost limit: Duration) async {
    let nap = EventLoop.task {
      // Being woken is no failure.
      _ = try? await EventLoop.sleep(for: limit)
    }
    naps[device, default: []].insert(nap)
    await withTaskCancellationHandler {
      await nap.value
    } onCancel: {
      nap.cancel()
    }
    naps[device]?.remove(nap)
    if naps[device]?.isEmpty ?? false { naps[device] = nil }
  }
}
