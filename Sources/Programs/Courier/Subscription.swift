internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import WebAddress

/// Calls a handler once after a delay.
///
/// The returned closure cancels the call. Tests pass their own implementation.
public typealias Alarm = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> @EventLoop () -> Void

/// A subscription at a relay: one endless response that is delivered line by line.
@EventLoop
final class Subscription {
  private let onLine: @EventLoop ([UInt8]) -> Void
  private let onEnd: @EventLoop (Result<CurlResponse, CourierFailure>) -> Void
  private let alarm: Alarm
  private var transfer: CurlTransfer?
  private var cancelAlarm: (@EventLoop () -> Void)?
  private var unfinished: [UInt8] = []
  /// True while the received bytes belong to a line that is too long.
  private var isSkipping = false
  /// Number of bytes that were skipped since the last delivered line.
  private var skipped = 0

  private static let newline = UInt8(ascii: "\n")
  /// Maximum number of skipped bytes.
  ///
  /// A relay that sends only oversized lines is not usable.
  private static let mostSkipped = 1024 * 1024

  /// Starts the subscription.
  ///
  /// Calls `onEnd` once, unless it is cancelled.
  init(
    to url: WebURL,
    client: CurlClient,
    alarm: @escaping Alarm,
    onLine: @escaping @EventLoop ([UInt8]) -> Void,
    onEnd: @escaping @EventLoop (Result<CurlResponse, CourierFailure>) -> Void
  ) throws(CourierFailure) {
    (self.onLine, self.onEnd, self.alarm) = (onLine, onEnd, alarm)
    let request = CurlRequest("GET", url, timeout: nil, maximumBody: CourierLimits.maximumBody)
    do throws(CurlError) {
      transfer = try client.start(request) { [weak self] in
        self?.take($0)
      } _: { [weak self] outcome in
        self?.end(outcome.mapError { CourierFailure($0) })
      }
    } catch { throw CourierFailure(error) }
    awaitSign()
  }

  /// Ends the subscription without calling `onEnd`.
  func cancel() {
    cancelAlarm?()
    transfer?.cancel()
    transfer = nil
  }

  private func take(_ bytes: [UInt8]) {
    awaitSign()
    // Only the new bytes are searched, so that a line in many parts costs no more than in one.
    guard bytes.contains(Self.newline) else { return keep(bytes) }
    let parts = (unfinished + bytes).split(separator: Self.newline, omittingEmptySubsequences: false)
    for line in parts.dropLast() {
      guard transfer != nil, skipped <= Self.mostSkipped else { break }
      // Skip a line that is too long. If it ended the stream, the next stream would begin with the same line.
      if !isSkipping, line.count <= CourierLimits.maximumLine {
        guard !line.isEmpty else { continue }
        onLine(Array(line))
        skipped = 0
      } else {
        skipped += line.count
      }
      isSkipping = false
    }
    unfinished = []
    keep(parts.last.map(Array.init) ?? [])
  }

  /// Keeps the part of a line that is not complete yet.
  private func keep(_ bytes: [UInt8]) {
    unfinished += bytes
    if isSkipping || unfinished.count > CourierLimits.maximumLine {
      skipped += unfinished.count
      (isSkipping, unfinished) = (true, [])
    }
    if transfer != nil, skipped > Self.mostSkipped { giveUp(.tooLarge) }
  }

  /// Restarts the alarm that ends the subscription after a long silence, since the relay may have vanished
  /// without notice.
  private func awaitSign() {
    cancelAlarm?()
    cancelAlarm = alarm(CourierLimits.longestSilence) { [weak self] in self?.giveUp(.timeout) }
  }

  private func giveUp(_ failure: CourierFailure) {
    cancel()
    onEnd(.failure(failure))
  }

  private func end(_ outcome: Result<CurlResponse, CourierFailure>) {
    cancelAlarm?()
    transfer = nil
    onEnd(outcome)
  }
}
