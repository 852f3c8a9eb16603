internal import CourierProtocol
internal import EventLoop
internal import Time

/// Postpones the polls of a waiting step while the server, or a gateway in front of it, is overloaded.
///
/// Use it only for requests that repeat no decision of the user.
struct PollBackOff: Sendable {
  /// Earliest uptime of the next poll.
  private var end = Duration.zero
  private var backOff = BackOff(from: .seconds(1), to: .seconds(30))

  /// Statuses that say nothing about the step: RFC 6585 section 4, RFC 9110 sections 15.6.3 to 15.6.5.
  private static let statuses = [429, 502, 503, 504]
  /// Longest delay that a server can request.
  private static let longest = Duration.seconds(300)

  /// Returns true if the response postpones the poll: the caller repeats it after `rest`.
  ///
  /// Each delay is at least twice as long as the previous one, and at least as long as `Retry-After`.
  mutating func postpones(after response: CourierResponse, _ time: TimeSource) -> Bool {
    guard Self.statuses.contains(response.status) else {
      backOff.reset()
      return false
    }
    let requested = response.retryAfter(time.now()) ?? .zero
    end = time.uptime() + min(max(requested, backOff.next()), Self.longest)
    return true
  }

  /// Returns the time until the next poll; zero if no response postponed it.
  func rest(_ time: TimeSource) -> Duration { max(end - time.uptime(), .zero) }
}

extension CourierResponse {
  /// Returns the delay in `Retry-After`, in seconds or as an HTTP date (RFC 9110 section 10.2.3).
  fileprivate func retryAfter(_ now: Timestamp) -> Duration? {
    guard let text = values(of: "Retry-After").first else { return nil }
    if let seconds = Int32(text) { return .seconds(seconds) }
    return Timestamp(httpDate: text).map { .seconds($0.seconds - now.seconds) }
  }
}
