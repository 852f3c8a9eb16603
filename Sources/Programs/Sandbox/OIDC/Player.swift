import EventLoop
import HTTPServer

/// Who leads a user through a sign-on, from the checked request to its answer.
///
/// In the end a player makes a `SignOnSession` of the user and answers with what `Tenant.authorizeResponse` gives for it.
struct Player: Sendable {
  /// Whether the player is the one for a request.
  let plays: @EventLoop @Sendable (AuthorizationRequest, Tenant) -> Bool
  /// The first answer to a request.
  let begin: @EventLoop @Sendable (AuthorizationRequest, Call) async throws(PingOneError) -> HTTPResponse

  /// All players; the first that is for a request plays it.
  static let all: [Player] = [.daVinci, .policy]
}
