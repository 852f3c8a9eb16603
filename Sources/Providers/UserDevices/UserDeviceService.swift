public import Configuration
public import ControlAPI
public import CourierProtocol
public import EventLoop
public import Glibc
public import WebAddress

/// A provider that carries out a sign-on's orders for its user's devices.
@EventLoop
public protocol UserDeviceService<Grant>: Sendable {
  associatedtype Grant: Sendable

  /// Carries out each order by itself, as far as the sign-on is not over.
  func carryOut(_ orders: DeviceOrders, _ grant: Grant) async -> DeviceResult
}

/// The outcome of a sign-on's orders.
public struct DeviceResult: Sendable {
  /// The user whose devices they are, if the server told.
  public let user: User?
  public let outcome: DeviceOutcome
  /// The user, as the whole server knows them, of whom the last bound key was removed there.
  public let unbound: String?

  public init(user: User?, outcome: DeviceOutcome, unbound: String? = nil) {
    (self.user, self.outcome, self.unbound) = (user, outcome, unbound)
  }
}

/// The authority of a sign-on with tokens: to speak for its user at PingOne while it is being finished.
public struct TokenGrant: Sendable {
  public let owner: uid_t
  /// The user of the verified ID token.
  public let user: User
  public let issuer: String
  public let tenant: PingOneTenant
  /// The environment that the ID token names; empty when it names none.
  public let namedEnvironment: String
  public let accessToken: String
  /// The scopes that were asked for and not granted.
  public let missingScopes: [String]
  public let isOver: @EventLoop () -> Bool

  /// `scope` is what the token endpoint said that it granted; nothing: what was asked for, RFC 6749 section 5.1.
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

/// The authority of a journey: to speak for its user at a realm of PingAM while the sign-on is being finished.
public struct SessionGrant: Sendable {
  /// Carries a request with the cookies of the sign-on, and fails once that is over.
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
