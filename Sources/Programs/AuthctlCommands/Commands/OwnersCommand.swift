internal import JSON

extension Command {
  static let owners = Command(
    "owners",
    summary: "list everybody who has an authenticator here",
    details: "One line each: the user, how many accounts are in force, and since when. Only root may ask."
  ) { (session) throws(Failure) in
    try session.output.result(try session.call("owner.list")) { result in
      Columns.lines(
        (result["owners"]?.array ?? []).map { owner in
          [
            "user \(Describe.value(owner["uid"]))",
            Describe.count(owner["accounts"], "account", "accounts"),
            "since \(Describe.value(owner["createdAt"]))",
          ]
        }
      )
    }
  }
}
