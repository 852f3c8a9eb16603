internal import JSON

extension Command {
  static let logout = Command(
    "logout",
    "[ACCOUNT]",
    words: 0...1,
    summary: "end the session of a sign-on, here and at the issuer",
    details: """
      ACCOUNT is an id of "authctl accounts" or a name that only one account has; the only account needs none.
      The pairing stays: "authctl accounts remove" ends it.
      """
  ) { (session) throws(Failure) in
    let (account, result) = try session.callForSession("session.logout")
    try session.output.result(result) { _ in ["signed off from account \(account)"] }
  }
}
