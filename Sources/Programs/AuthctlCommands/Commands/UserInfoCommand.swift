internal import JSON

extension Command {
  static let userInfo = Command(
    "userinfo",
    "[ACCOUNT]",
    words: 0...1,
    summary: "show what the issuer says of the user who signed on",
    details: """
      ACCOUNT is an id of "authctl accounts" or a name that only one account has; the only account needs none.
      The issuer is asked with the session of the last sign-on, which is kept only where the configuration says so.
      """
  ) { (session) throws(Failure) in
    try session.output.result(try session.callForSession("session.userinfo").result) { claims in
      Columns.lines((claims.object?.members ?? []).map { ["\($0.name)", Describe.value($0.value)] })
    }
  }
}
