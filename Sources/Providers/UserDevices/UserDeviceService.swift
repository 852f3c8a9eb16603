public import Configuration
public import ControlAPI
public import CourierProtocol
public import EventLoop
public import Glibc
public import WebAddress

/// A provider that carries out the orders of a sign-on for the devices of the signed-on user.
@EventLoop
public protocol UserDeviceService<Grant>: Sendable {
  associatedtype Grant: Sendable

  /// Carries out each order, even if an earlier one failed, until the sign-on ends.
  func carryOut(_ orders: DeviceOrders, _ grant: Grant) async -> DeviceResult
}

/// The outcome of a sign-on's orders.
public struct DeviceResult: Sendable {
  /// The user of the devices, if the server named one.
  public let user: User?
  public let outcome: DeviceOutcome
  /// The universal ID of the user, if the last bound key of this user was removed at the server.
  public let unbound: String?

  public init(user: User?, outcome: DeviceOutcome, unbound: String? = nil) {
    (self.user, self.outcome, self.unbound) = (user, outcome, unbound)
  }
}

/// The token and other data with which a sign-on acts for its user at PingOne until it ends.
public struct TokenGrant: Sendable {
  public let owner: uid_t
  /// The user of the verified ID token.
  public let user: User
  public let issuer: String
  public let tenant: PingOneTenant
  /// The environment that the ID token names; empty if it names none.
  public let namedEnvironment: String
  public let accessToken: String
  /// The requested scopes that were not granted.
  public let missingScopes: [String]
  public let isOver: @EventLoop () -> Bool

  /// Creates a grant.
  ///
  /// `scope` is the value from the token endpoint; if `nil`, all of `asked` is granted, RFC 6749 section 5.1.
  public init(
    owner: uid_t,
    user: User,
    issuer: String,
    tenant: PingOneTenant,
    namedEnvironment: String,
    accessToken: String,
    scope: String?,
    asked: [String],
    isOver: @escaping @EventLoop () -> Bool
  ) {
    (self.owner, self.user, self.issuer, self.tenant) = (owner, user, issuer, tenant)
    (self.namedEnvironment, self.accessToken, self.isOver) = (namedEnvironment, accessToken, isOver)
    let granted = scope?.split(separator: " ").map(String.init)
    missingScopes = granted.map { granted in asked.filter { !granted.contains($0) } } ?? []
  }
}

/// The session with which a journey acts for its user at a realm of PingAM until the sign-on ends.
public struct SessionGrant: Sendable {
  /// Sends a request with the cookies of the sign-on; throws after the sign-on has ended.
  public typealias Send = @EventLoop (CourierRequest) async throws -> CourierResponse

  public let owner: uid_t
  /// The base URL of the realm's resources.
  public let realm: WebURL
  /// The header that identifies the session.
  public let field: CourierHeader
  public let send: Send
  public let isOver: @EventLoop () -> Bool

  public init(
    owner: uid_t,
    realm: WebURL,
    field: CourierHeader,
    send: @escaping Send,
    isOver: @escaping @EventLoop () -> Bool
  ) {
    (self.owner, self.realm, self.field) = (owner, realm, field)
    (self.send, self.isOver) = (send, isOver)
  }
}
