internal import ControlAPI
internal import ControlClient
internal import JSON
internal import JSONRPC

extension Command {
  static let sessions = Command(
    "sessions",
    summary: "list the sign-on sessions that are kept on this machine",
    details:
      "One line each: issuer, user id there, last change, beginning of the id. Sessions are kept if keep_session = yes."
  ) { (session) throws(Failure) in
    try session.print(SessionList(), none: "there is no kept sign-on session") { sessions in
      Columns.lines(sessions) { kept in
        ["\(kept.issuer)", Describe.optional(kept.subject), "\(kept.updatedAt)", Describe.short(kept.id)]
      }
    }
  }

  static let sessionsEnd = Command(
    "sessions end",
    "[ID]",
    words: 0...1,
    operands: .sessions,
    summary: "end a kept session, here and at its issuer",
    details: """
      ID is a session id or its beginning, or the issuer or part of it. On a terminal you choose one if
      several sessions match, and ID is optional.
      """
  ) { (session) throws(Failure) in
    do throws(Failure) {
      let kept = { () throws(Failure) in try session.call(SessionList()) }
      let end = { (id: String) throws(Failure) in
        try session.print(SessionEnd(session: id)) { _ in ["ended session \(Describe.short(id))"] }
      }
      try session.choosing("sign-on", none: "there is no kept sign-on session", among: kept, by: naming, end)
    } catch {
      throw error.withHint("\"authctl sessions\" lists the kept sessions", on: .notFound)
    }
  }

  static let logout = Command(
    "logout",
    "[ACCOUNT]",
    words: 0...1,
    operands: .accounts,
    summary: "end the session of an account, here and at the issuer",
    details: """
      ACCOUNT is an id of "authctl accounts", the name of an account, or a unique part of either; a single
      account needs none. The pairing stays: "authctl accounts remove" ends it.
      """
  ) { (session) throws(Failure) in
    let (account, reply) = try session.reply { SessionLogout(account: $0) }
    try session.output.result(reply) { _ in ["signed off from account \(account)"] }
  }

  static let userInfo = Command(
    "userinfo",
    "[ACCOUNT]",
    words: 0...1,
    operands: .accounts,
    summary: "show the issuer's claims about the signed-on user",
    details: """
      ACCOUNT is an id of "authctl accounts", the name of an account, or a unique part of either; a single
      account needs none. The command uses the session of the last sign-on, which is kept only if keep_session
      = yes.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply { SessionUserinfo(account: $0) }.reply
    try session.output.result(reply) { claims in
      Columns.lines(claims.members) { ["\($0.name)", Describe.value($0.value)] }
    }
  }
}

private let naming = NameMatcher<SignOnSession>(
  id: { $0.id },
  names: { [$0.issuer] },
  row: { ["\($0.issuer)", Describe.optional($0.subject), Describe.short($0.id)] }
)
