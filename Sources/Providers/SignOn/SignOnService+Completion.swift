internal import PingOne
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC

extension SignOnService {
  /// Verifies the tokens of a sign-on, keeps them if that is wanted, and goes on to the pairing that they ask for.
  func complete(_ node: inout Node, _ login: Login, _ tokens: Tokens?) async throws {
    guard let tokens, let client = login.client else {
      node.pairing = .some(nil)
      return
    }
    guard let text = tokens.idToken else { throw RPCError.serverError }
    let issuers = try await acceptedIssuers(for: login)
    let token = try await directory.verify(
      text,
      issuers: issuers.filter { $0.hasSameBytes(as: client.issuer.issuer) },
      nonce: login.request?.nonce,
      accessToken: tokens.accessToken,
      owner: login.owner
    )
    guard !login.isOver else { throw RPCError.expired }
    node.user = token.user
    // Only what a payload was sent with can ask to pair.
    let asks = login.request?.carriesPayload ?? false
    node.pairing = .some(asks ? try await parts.pairings.pairingRequest(of: token, owner: login.owner) : nil)
    guard !login.isOver else { throw RPCError.expired }
    if login.keepsSession { try keep(tokens, of: token, login) }
  }

  /// The issuers whose tokens are taken now; they may be others than when the sign-on began.
  private func acceptedIssuers(for login: Login) async throws -> [String] {
    // A journey needs nothing of the platform.
    if login.call.method == .journey { return directory.configuration.issuers }
    return try await parts.devices.acceptedIssuers(of: login.owner)
  }
}
