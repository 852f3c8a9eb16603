public import OATHExports
public import OpenSSL
internal import Text
public import WebAddress

/// What is kept of an account's pushes, whether this machine was enrolled or takes the account over.
public struct AMPushCredential: Sendable {
  /// What the server knows these pushes by.
  public let mechanism: String
  public let issuer: String
  /// What the account is called at the issuer.
  public let account: String
  /// The identity's name at the server.
  public let user: String?
  /// Where pushes are answered.
  public let authenticate: WebURL
  /// Where the server hears of another transport.
  public let refresh: WebURL
  public let secret: Secret
  public let policies: AMPolicies
  /// What the server knows the device by.
  public let resource: String?

  /// What is enrolled, under an id that was made for it.
  public init(_ enrolment: AMEnrolment, mechanism: String) {
    self.mechanism = mechanism
    (issuer, account, user) = (enrolment.issuer, enrolment.account, enrolment.user)
    (authenticate, refresh) = (enrolment.push.authenticate, enrolment.push.refresh)
    (secret, resource) = (enrolment.push.secret, enrolment.push.resource)
    policies = enrolment.policies
  }

  /// Checks everything that a record says.
  public init(_ record: PushRecord) throws(OATHError) {
    // The libraries take a UUID in either case.
    guard record.mechanism.isIdentifier else { throw .invalid("mechanism") }
    (mechanism, resource) = (record.mechanism, record.resource)
    (issuer, account) = (record.issuer, record.label)
    if let user = record.user, user.utf8.count > KeyURI.longestText { throw .invalid("user") }
    user = record.user.flatMap { $0.isEmpty ? nil : $0 }
    guard let endpoint = WebURL(record.endpoint), let authenticate = endpoint.action("authenticate"),
      let refresh = endpoint.action("refresh")
    else { throw .invalid("endpoint") }
    (self.authenticate, self.refresh) = (authenticate, refresh)
    // Android's is in one alphabet, and iOS's as the URI had it, which is mostly the other.
    guard var key = Base64.decode(record.secret) else { throw .invalid("secret") }
    defer { wipe(&key) }
    secret = try AMPushRegistration.secret(key, "secret")
    if let policies = record.policies, policies.utf8.count > AMPolicies.longest { throw .invalid("policies") }
    policies = AMPolicies(record.policies ?? "")
  }
}

extension WebURL {
  /// The same resource for another action; `nil` for what could be read in two ways.
  fileprivate func action(_ action: String) -> WebURL? {
    let pairs = (query ?? "").split(separator: "&", omittingEmptySubsequences: false)
    let others = pairs.filter { !$0.hasPrefix("_action=") }
    guard pairs.count - others.count <= 1, !pairs.contains("_action") else { return nil }
    let query = (others.filter { !$0.isEmpty } + ["_action=\(action)"]).joined(separator: "&")
    return WebURL("\(origin.text)\(path)?\(query)")
  }
}
