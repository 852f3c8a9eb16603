internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import WebAddress

/// What the waiting of a page has come to.
struct DaVinciWaiting: Sendable {
  let field: PollingField
  /// What the server has to hear of it; `nil` as long as that is not known.
  private(set) var outcome: String?
  private var retries: Int

  static let timedOut = "timedOut"

  init(_ field: PollingField) { (self.field, retries) = (field, field.retries) }

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

extension DaVinciFlow {
  /// Waits for what the page waits for, for some seconds; if nothing happens, the same page is shown again.
  func wait() async throws -> Step {
    guard let page else { throw RPCError.conflict }
    var waited = Duration.zero
    while var state = waiting {
      if state.outcome == nil {
        let pause = state.field.interval
        guard waited == .zero || waited + pause <= AsyncMutex.longestWait, await login.mutex.wait(for: pause)
        else {
          break
        }
        waited += pause
        if let outcome = try await look(page, state.field) { state.found(outcome) } else { state.missed() }
        waiting = state
      }
      guard let outcome = state.outcome else { continue }
      let data = JSONObject([(state.field.description.key, JSON.string(outcome))])
      let heard = try await response(to: DaVinciReply(event: .polling, formData: data))
      waiting?.begin()
      guard case .again = heard else { return try await settle(heard) }
      guard outcome != DaVinciWaiting.timedOut else {
        throw SignOnFailure("TIMED_OUT", "nobody answered in time")
      }
      if state.field.challenge == nil { waiting?.missed() }
    }
    return .page(shown(page))
  }

  /// Looks whether it has happened; `nil` if it has not.
  private func look(_ page: DaVinciPage, _ field: PollingField) async throws -> String? {
    // Without a challenge the page itself is asked for.
    guard let challenge = field.challenge else { return "continue" }
    guard let url = page.challenges?.appending(path: "/\(challenge)/status"), Self.isPlain(challenge) else {
      throw SignOnFailure.malformed
    }
    return ChallengeStatus.outcome(of: try await post(JSON.object([:]), to: url))
  }

  /// Whether a challenge is one step of a path and nothing else.
  private static func isPlain(_ challenge: String) -> Bool {
    ![".", ".."].contains(challenge)
      && challenge.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-_~.=".contains(character))
      }
  }
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
