internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import WebAddress

/// Calls a handler once after a time, unless what it returns is called before; tests hand in one of their own.
public typealias Alarm = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> @EventLoop () -> Void

/// A subscription at a relay: one response without an end, handed on line by line.
@EventLoop
final class Subscription {
  private let onLine: @EventLoop ([UInt8]) -> Void
  private let onEnd: @EventLoop (Result<CurlResponse, CourierFailure>) -> Void
  private let alarm: Alarm
  private var transfer: CurlTransfer?
  private var cancelAlarm: (@EventLoop () -> Void)?
  private var unfinished: [UInt8] = []
  /// Whether what comes belongs to a line that is too long.
  private var isSkipping = false
  /// How much was left out since the last line that was handed on.
  private var skipped = 0

  private static let newline = UInt8(ascii: "\n")
  /// A relay that has only lines that are too long is none.
  private static let mostSkipped = 1024 * 1024

  /// Subscribes from now on; `onEnd` is called once, unless it is cancelled.
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

  /// Ends it without a word.
  func cancel() {
    cancelAlarm?()
    transfer?.cancel()
    transfer = nil
  }

  private func take(_ bytes: [UInt8]) {
    awaitSign()
    unfinished += bytes
    let parts = unfinished.split(separator: Self.newline, omittingEmptySubsequences: false)
    for line in parts.dropLast() {
      guard transfer != nil, skipped <= Self.mostSkipped else { break }
      // A line that is too long is left out: a stream that it ended would begin with it again.
      if !isSkipping, line.count <= CourierLimits.maximumLine {
        guard !line.isEmpty else { continue }
        onLine(Array(line))
        skipped = 0
      } else {
        skipped += line.count
      }
      isSkipping = false
    }
    unfinished = parts.last.map(Array.init) ?? []
    if isSkipping || unfinished.count > CourierLimits.maximumLine {
      skipped += unfinished.count
      (isSkipping, unfinished) = (true, [])
    }
    if transfer != nil, skipped > Self.mostSkipped { giveUp(.tooLarge) }
  }

  /// Who says nothing for too long is gone, though nobody has told this machine.
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
