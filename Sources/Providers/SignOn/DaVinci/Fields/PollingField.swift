internal import ControlAPI
internal import JSON

/// POLLING: the page waits for something that happens elsewhere.
struct PollingField: FormField {
  let description: FieldDescription

  private static let standardInterval = 2000
  private static let standardRetries = 60
  private static let maximumRetries = 10_000
  private static let longestChallenge = 1024

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    Collector(
      key: description.key,
      type: "PollingCollector",
      label: description.label ?? "Waiting for the answer"
    )
  }

  /// How long to wait before each look; no server is asked more than twice a second.
  var interval: Duration {
    .milliseconds(min(max(number("pollInterval") ?? Self.standardInterval, 500), 25_000))
  }

  /// How often to look.
  var retries: Int { min(max(number("pollRetries") ?? Self.standardRetries, 1), Self.maximumRetries) }

  /// What to ask after; `nil` if the page itself is asked for again.
  var challenge: String? {
    guard description.json["pollChallengeStatus"] == true, let text = description.json["challenge"]?.string,
      !text.isEmpty, text.utf8.count <= Self.longestChallenge
    else { return nil }
    return text
  }

  private func number(_ name: String) -> Int? {
    description.json[name].flatMap { $0.int ?? $0.string.flatMap { Int($0) } }
  }
}
