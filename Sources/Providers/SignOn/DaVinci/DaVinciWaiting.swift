internal import CourierProtocol
internal import JSON

/// How a page waits for something that happens elsewhere.
struct DaVinciPolling: Sendable {
  /// The key that the outcome is sent by.
  let key: String
  /// Time before each look; no server is asked more than twice a second.
  let interval: Duration
  /// Number of looks before the server hears that the time is over.
  let retries: Int
  /// The challenge whose status is asked for; `nil` if the page itself is asked for again.
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

/// What the waiting of a page has come to.
struct DaVinciWaiting: Sendable {
  let polling: DaVinciPolling
  /// What the server has to hear of it; `nil` as long as that is not known.
  private(set) var outcome: String?
  private var retries: Int

  static let timedOut = "timedOut"

  init(_ polling: DaVinciPolling) { (self.polling, retries) = (polling, polling.retries) }

  /// Takes what was found.
  mutating func found(_ outcome: String) { self.outcome = outcome }

  /// Nothing has happened yet, which may be said so often only.
  mutating func missed() {
    retries -= 1
    outcome = retries > 0 ? nil : Self.timedOut
  }

  /// The server has heard of it and wants to hear of it again.
  mutating func begin() { outcome = nil }
}

/// The response of the server that is asked after a challenge.
enum ChallengeStatus {
  private static let longestStatus = 64

  /// What the page has to hear of it; `nil` as long as it is open.
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
