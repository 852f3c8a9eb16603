public import OATHExports
public import OpenSSL
internal import Text
public import WebAddress

/// The stored credential of an account's pushes, from an enrolment on this machine or from an import.
public struct AMPushCredential: Sendable {
  /// The id that messages between device and server use for this credential.
  public let mechanism: String
  public let issuer: String
  /// The account name at the issuer.
  public let account: String
  /// The user's id at the server.
  public let user: String?
  /// URL for answering pushes.
  public let authenticate: WebURL
  /// URL for changing the push transport.
  public let refresh: WebURL
  public let secret: Secret
  public let policies: AMPolicies
  /// The server's id of the device.
  public let resource: String?

  /// Creates the credential of an enrolment under the id `mechanism`.
  public init(_ enrolment: AMEnrolment, mechanism: String) {
    self.mechanism = mechanism
    (issuer, account, user) = (enrolment.issuer, enrolment.account, enrolment.user)
    (authenticate, refresh) = (enrolment.push.authenticate, enrolment.push.refresh)
    (secret, resource) = (enrolment.push.secret, enrolment.push.resource)
    policies = enrolment.policies
  }

  /// Checks and converts an exported record.
  public init(_ record: PushRecord) throws(OATHError) {
    // Accept upper case too: the servers' libraries accept a UUID in either case.
    guard record.mechanism.isIdentifier else { throw .invalid("mechanism") }
    (mechanism, resource) = (record.mechanism, record.resource)
    (issuer, account) = (record.issuer, record.label)
    if let user = record.user, user.utf8.count > KeyURI.longestText { throw .invalid("user") }
    user = record.user.flatMap { $0.isEmpty ? nil : $0 }
    guard let endpoint = WebURL(record.endpoint), let authenticate = endpoint.action("authenticate"),
      let refresh = endpoint.action("refresh")
    else { throw .invalid("endpoint") }
    (self.authenticate, self.refresh) = (authenticate, refresh)
    // Exports of Android and iOS may use different Base64 alphabets; the decoder accepts both alphabets.
    guard var key = Base64.decode(record.secret) else { throw .invalid("secret") }
    defer { wipe(&key) }
    secret = try AMPushRegistration.secret(key, "secret")
    if let policies = record.policies, policies.utf8.count > AMPolicies.longest { throw .invalid("policies") }
    policies = AMPolicies(record.policies ?? "")
  }
}

extension WebURL {
  /// Returns the URL for another action; `nil` if the query is ambiguous.
  fileprivate func action(_ action: String) -> WebURL? {
    let pairs = (query ?? "").split(separator: "&", omittingEmptySubsequences: false)
    let others = pairs.filter { !$0.hasPrefix("_action=") }
    guard pairs.count - others.count <= 1, !pairs.contains("_action") else { return nil }
    let query = (others.filter { !$0.isEmpty } + ["_action=\(action)"]).joined(separator: "&")
    return WebURL("\(origin.text)\(path)?\(query)")
  }
}
