import EventLoop

/// Suspends each caller until `open` is called.
@EventLoop
final class AMGate {
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var isOpen = false

  nonisolated init() {}

  func wait() async {
    if !isOpen { await withUnsafeContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
