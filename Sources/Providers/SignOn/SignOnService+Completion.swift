internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import PingOne
internal import SelfService

extension SignOnService {
  /// Verifies the tokens of a sign-on, keeps them if that is wanted, and goes on to the pairing that they ask for.
  func complete(_ node: inout Node, _ login: Login, _ tokens: Tokens?) async throws {
    guard let tokens, let client = login.client else {
      node.pairing = .some(nil)
      return
    }
    do { try await finish(&node, login, tokens, client) } catch {
      if login.call.devices != nil { await revoke(tokens, of: client) }
      throw error
    }
  }

  private func finish(_ node: inout Node, _ login: Login, _ tokens: Tokens, _ client: OIDCClient) async throws
  {
    guard let text = tokens.idToken else {
      throw RPCError.issuerFailed.because(.malformed, at: login.transport.origin)
    }
    // They may be others than when the sign-on began.
    let issuers = try await acceptedIssuers(for: login.call, owner: login.owner)
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
    if let orders = login.call.devices {
      node.devices = await carryOut(orders, for: token, tokens, of: client, login)
    } else if login.keepsSession {
      try keep(tokens, of: token, login)
    }
  }

  /// Has the devices managed that the user signed on for; the tokens allow more than others do, and are not kept.
  private func carryOut(
    _ orders: DeviceOrders,
    for token: IDToken,
    _ tokens: Tokens,
    of client: OIDCClient,
    _ login: Login
  ) async -> DeviceOutcome {
    guard let tenant = directory.configuration.tenant(of: client.issuer.issuer) else {
      return .failed(orders, .tenantUnknown)
    }
    let grant = Grant(
      owner: login.owner,
      user: token.user,
      issuer: client.issuer.issuer,
      tenant: tenant,
      namedEnvironment: token.environment,
      accessToken: tokens.accessToken,
      scope: tokens.scope,
      asked: orders.scopes
    )
    let outcome = await parts.selfService.carryOut(orders, grant) { login.isOver }
    await revoke(tokens, of: client)
    return outcome
  }

  /// Whoever finds such a token later finds it worthless, where the issuer lets tokens be revoked; also when the sign-on
  /// itself is over, after which its own way there is closed.
  private func revoke(_ tokens: Tokens, of client: OIDCClient) async {
    var client = client
    client.transport = client.transport.reopened()
    try? await client.revoke(tokens)
  }
}

extension RPCError {
  /// The issuer's address is none of PingOne's published ones, and the configuration names none for it.
  static let tenantUnknown = RPCError.originRefused.with(["key": "pingone_api"])
    .saying(
      "where this issuer's devices are managed is not known: pingone_api and pingone_environment tell it"
    )
}
