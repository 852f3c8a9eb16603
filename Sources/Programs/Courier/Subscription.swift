internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import WebAddress

/// A subscription at a relay: one response without an end, handed on line by line.
@EventLoop
final class Subscription {
  private let onLine: @EventLoop ([UInt8]) -> Void
  private let onEnd: @EventLoop (Result<HTTPResponse, CourierFailure>) -> Void
  private var transfer: CurlTransfer?
  private var timer: Timer?
  private var unfinished: [UInt8] = []

  private static let newline = UInt8(ascii: "\n")

  /// Subscribes from now on; `onEnd` is called once, unless it is cancelled.
  init(
    to url: WebURL,
    client: CurlClient,
    onLine: @escaping @EventLoop ([UInt8]) -> Void,
    onEnd: @escaping @EventLoop (Result<HTTPResponse, CourierFailure>) -> Void
  ) throws(CourierFailure) {
    (self.onLine, self.onEnd) = (onLine, onEnd)
    let request = HTTPRequest("GET", url, timeout: nil, maximumBody: CourierLimits.maximumBody)
    do throws(CurlError) {
      transfer = try client.start(request) { [weak self] in
        self?.take($0)
      } _: { [weak self] outcome in
        self?.end(outcome.mapError { CourierFailure($0) })
      }
    } catch { throw CourierFailure(error) }
    awaitSign()
  }

  /// Ends it without a word.
  func cancel() {
    timer?.cancel()
    transfer?.cancel()
    transfer = nil
  }

  private func take(_ bytes: [UInt8]) {
    awaitSign()
    unfinished += bytes
    let parts = unfinished.split(separator: Self.newline, omittingEmptySubsequences: false)
    for line in parts.dropLast() where !line.isEmpty {
      guard transfer != nil else { return }
      guard line.count <= CourierLimits.maximumLine else { return giveUp(.tooLarge) }
      onLine(Array(line))
    }
    unfinished = parts.last.map(Array.init) ?? []
    if unfinished.count > CourierLimits.maximumLine { giveUp(.tooLarge) }
  }

  /// Who says nothing for too long is gone, though nobody has told this machine.
  private func awaitSign() {
    timer?.cancel()
    timer = EventLoop.after(CourierLimits.longestSilence) { [weak self] in self?.giveUp(.timeout) }
  }

  private func giveUp(_ failure: CourierFailure) {
    cancel()
    onEnd(.failure(failure))
  }

  private func end(_ outcome: Result<HTTPResponse, CourierFailure>) {
    timer?.cancel()
    transfer = nil
    onEnd(outcome)
  }
}
