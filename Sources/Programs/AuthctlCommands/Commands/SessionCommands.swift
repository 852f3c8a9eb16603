internal import ControlAPI
internal import ControlClient
internal import JSON
internal import JSONRPC

extension Command {
  static let sessions = Command(
    "sessions",
    summary: "list the sign-ons that are kept here",
    details:
      "One line each: id, issuer, the user's id there, last change. Kept are only those of keep_session = yes."
  ) { (session) throws(Failure) in
    try session.print(SessionList(), none: "no sign-on is kept") { sessions in
      Columns.lines(sessions) { kept in
        ["\(kept.id)", "\(kept.issuer)", Describe.optional(kept.subject), "\(kept.updatedAt)"]
      }
    }
  }

  static let sessionsEnd = Command(
    "sessions end",
    "[ID]",
    words: 0...1,
    operands: .sessions,
    summary: "end a kept sign-on, here and at its issuer",
    details: """
      ID is that of a session or its beginning, or its issuer or a part of it. Without it, or where several fit, one is
      picked on the terminal; the only one needs no ID there.
      """
  ) { (session) throws(Failure) in
    do throws(Failure) {
      let kept = { () throws(Failure) in try session.call(SessionList()) }
      let end = { (id: String) throws(Failure) in
        try session.print(SessionEnd(session: id)) { _ in ["ended session \(id)"] }
      }
      try session.choosing("sign-on", none: "no sign-on is kept", among: kept, by: naming, end)
    } catch {
      throw error.advising("\"authctl sessions\" lists those that are kept", on: .notFound)
    }
  }

  static let logout = Command(
    "logout",
    "[ACCOUNT]",
    words: 0...1,
    operands: .accounts,
    summary: "end the session of a sign-on, here and at the issuer",
    details: """
      ACCOUNT is an id of "authctl accounts", a name that only one account has, or enough of either; the only account
      needs none.
      The pairing stays: "authctl accounts remove" ends it.
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
    summary: "show what the issuer says of the user who signed on",
    details: """
      ACCOUNT is an id of "authctl accounts", a name that only one account has, or enough of either; the only account
      needs none.
      The issuer is asked with the session of the last sign-on, which is kept only where the configuration says so.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply { SessionUserinfo(account: $0) }.reply
    try session.output.result(reply) { claims in
      Columns.lines(claims.members) { ["\($0.name)", Describe.value($0.value)] }
    }
  }
}

private let naming = Naming<SignOnSession>(
  id: { $0.id },
  names: { [$0.issuer] },
  row: { ["\($0.id)", "\($0.issuer)", Describe.optional($0.subject)] }
)
