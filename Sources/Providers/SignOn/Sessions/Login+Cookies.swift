internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Time

extension Login {
  /// Lets the issuer know the user again whose session is the newest, unless this sign-on is to ask for everything.
  ///
  /// Nor does it when the caller names somebody: the session may be that of another user.
  func restoreCookies() throws {
    guard keepsSession, !call.forcesAuthentication, let issuer = client?.issuer.issuer,
      !call.parameters.contains(where: { $0.name == "login_hint" })
    else { return }
    for session in try parts.sessions.list(of: owner) where session.issuer == issuer {
      let content = try parts.sessions.content(of: session, owner: owner)
      guard let cookies = content.flatMap({ KeptSession($0)?.cookies }), !cookies.isEmpty else { continue }
      return transport.cookies.restore(cookies, now: time.now())
    }
  }
}
