internal import Authenticator
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import Time

// What is kept of a sign-on under its issuer, beside the tokens of each user.

extension Login {
  /// Sends what an earlier sign-on left, unless this one is to ask for everything.
  func restoreCookies() throws {
    guard configuration.keepsSession, !call.forcesAuthentication, let issuer = client?.issuer.issuer,
      let kept = try authenticator.keptCookies(at: issuer, owner: owner)
    else { return }
    transport.cookies.restore(kept.cookies, now: time.now())
  }

  /// Keeps what this sign-on left, in the place of what an earlier one left.
  func keepCookies(of user: String) throws {
    guard !call.wantsNoSession, let issuer = client?.issuer.issuer,
      let kept = KeptCookies(of: user, in: transport.cookies)
    else { return }
    try authenticator.keepSession(kept.json, at: issuer, of: nil, owner: owner)
  }
}

extension Authenticator {
  /// What the last sign-on with an issuer left.
  func keptCookies(at issuer: String, owner: uid_t) throws -> KeptCookies? {
    guard let session = try session(at: issuer, of: nil, owner: owner) else { return nil }
    return try content(of: session, owner: owner).flatMap { KeptCookies($0) }
  }

  /// Forgets what a user's sign-on left with an issuer, and returns it.
  func forgetCookies(of user: String?, at issuer: String, owner: uid_t) throws -> KeptCookies? {
    guard let session = try session(at: issuer, of: nil, owner: owner),
      let kept = try keptCookies(at: issuer, owner: owner), kept.user == user
    else { return nil }
    try forgetSession(session, owner: owner)
    return kept
  }
}
