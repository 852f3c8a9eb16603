internal import CourierProtocol
internal import EventLoop
internal import WebAddress

/// One subscription that the courier holds, with the lines that nobody has taken yet.
@EventLoop
final class Feed {
  let url: WebURL
  var isSent = false
  private var lines: [[UInt8]] = []
  private var end: Result<CourierResponse, CourierFailure>?
  private var waiter: CheckedContinuation<Void, Never>?

  private static let mostLines = 256

  init(_ url: WebURL) { self.url = url }

  /// Takes a line; false if there are more than anybody takes.
  func take(_ line: [UInt8]) -> Bool {
    guard lines.count < Self.mostLines else { return false }
    lines.append(line)
    wake()
    return true
  }

  /// There will be no more lines; those that came are still taken.
  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    end = end ?? outcome
    wake()
  }

  /// The next line, or how the relay ended it.
  func next() async throws(CourierFailure) -> CourierSubscription.Event {
    while lines.isEmpty, end == nil, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter = $0 }
      } onCancel: {
        EventLoop.task { self.wake() }
      }
    }
    if !lines.isEmpty { return .line(lines.removeFirst()) }
    guard let end else { throw .cancelled }
    return .end(try end.get())
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }
}
