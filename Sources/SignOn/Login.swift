internal import Authenticator
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import Time
internal import WebAddress

/// One sign-on under way: what it sent, and where it stands.
@EventLoop
final class Login {
  let id: String
  let owner: uid_t
  let issuer: Discovery
  let origin: Origin
  let proofKey: ProofKey
  let state: String
  let nonce: String
  let acceptLanguage: String?
  var cookies: CookieJar
  /// The step that waits for an answer; `nil` when the sign-on is over.
  var flow: Flow?
  /// Whether an answer is being sent.
  var isBusy = false

  init(
    id: String,
    owner: uid_t,
    issuer: Discovery,
    origin: Origin,
    proofKey: ProofKey,
    acceptLanguage: String?
  ) throws {
    (self.id, self.owner, self.issuer, self.origin) = (id, owner, issuer, origin)
    (self.proofKey, self.acceptLanguage) = (proofKey, acceptLanguage)
    (state, nonce) = (try ProofKey.random(), try ProofKey.random())
    cookies = CookieJar(host: origin.host)
  }
}

/// A step of a sign-on policy as PingOne's flows interface describes it.
struct Flow: Sendable {
  /// What the flow waits for, `USERNAME_PASSWORD_REQUIRED` and so on.
  let status: String
  /// Where a completed flow goes on.
  let resume: WebURL?
  /// Where its actions go, by their names.
  let links: [String: WebURL]

  /// Reads a flow; `nil` if it is none or points to another origin.
  init?(_ json: JSON, origin: Origin) {
    guard let status = json["status"]?.string, status.utf8.count <= 64 else { return nil }
    var links: [String: WebURL] = [:]
    for member in json["_links"]?.object?.members ?? [] {
      guard let text = member.value["href"]?.string else { continue }
      guard let url = WebURL(text), url.origin == origin else { return nil }
      links[member.name] = url
    }
    if let text = json["resumeUrl"]?.string {
      guard let url = WebURL(text), url.origin == origin else { return nil }
      resume = url
    } else {
      resume = nil
    }
    (self.status, self.links) = (status, links)
  }
}
