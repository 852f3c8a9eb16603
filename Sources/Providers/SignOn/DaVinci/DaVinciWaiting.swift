internal import CourierProtocol
internal import JSON

/// The polling that a page requests, for an event on another device.
struct DaVinciPolling: Sendable {
  /// The field key under which the outcome is sent.
  let key: String
  /// Time before each poll, from 0.5 to 25 seconds.
  let interval: Duration
  /// Number of polls without an outcome, after which `timedOut` is sent to the server.
  let retries: Int
  /// The challenge to poll; `nil` if replies to the page serve as polls.
  let challenge: String?

  private static let standardInterval = 2000
  private static let standardRetries = 60
  private static let maximumRetries = 10_000
  private static let longestChallenge = 1024

  init(_ field: DaVinciField) {
    let json = field.json
    func number(_ name: String) -> Int? { json[name].flatMap { $0.int ?? $0.string.flatMap { Int($0) } } }
    key = field.key
    interval = .milliseconds(min(max(number("pollInterval") ?? Self.standardInterval, 500), 25_000))
    retries = min(max(number("pollRetries") ?? Self.standardRetries, 1), Self.maximumRetries)
    let isAsked = json["pollChallengeStatus"] == true
    challenge = isAsked ? json["challenge"]?.string.flatMap(Self.usable) : nil
  }

  private static func usable(_ challenge: String) -> String? {
    !challenge.isEmpty && challenge.utf8.count <= longestChallenge ? challenge : nil
  }
}

/// State of a page's polling.
struct DaVinciWaiting: Sendable {
  let polling: DaVinciPolling
  /// The outcome to send to the server; `nil` while unknown.
  private(set) var outcome: String?
  private var retries: Int

  static let timedOut = "timedOut"

  init(_ polling: DaVinciPolling) { (self.polling, retries) = (polling, polling.retries) }

  /// Sets the outcome.
  mutating func found(_ outcome: String) { self.outcome = outcome }

  /// Counts a poll without an outcome; the last one sets the outcome to `timedOut`.
  mutating func missed() {
    retries -= 1
    outcome = retries > 0 ? nil : Self.timedOut
  }

  /// Clears the outcome after it was sent, so that polling can continue.
  mutating func begin() { outcome = nil }
}

/// The response to a poll of a challenge.
enum ChallengeStatus {
  private static let longestStatus = 64

  /// Returns the outcome to send for the page; `nil` while the challenge is not complete.
  static func outcome(of response: CourierResponse) -> String? {
    let document = try? response.document
    guard response.status == 200, let isComplete = document?["isChallengeComplete"]?.bool else {
      return response.status == 400 && document?["serviceName"] == "challengeExpired" ? "expired" : "error"
    }
    guard isComplete else { return nil }
    let status = document?["status"]?.string ?? ""
    return (1...longestStatus).contains(status.utf8.count) ? status : "error"
  }
}
