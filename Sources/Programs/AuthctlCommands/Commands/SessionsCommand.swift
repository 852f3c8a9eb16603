internal import JSON

extension Command {
  static let sessions = Command(
    "sessions",
    summary: "list the sign-ons that are kept here",
    details:
      "One line each: id, issuer, the user's id there, last change. Kept are only those of keep_session = yes."
  ) { (session) throws(Failure) in
    let result = try session.call("session.list")
    try session.output.result(result) { result in
      Columns.lines(
        (result["sessions"]?.array ?? []).map { kept in
          [
            Describe.value(kept["id"]), Describe.value(kept["issuer"]),
            kept["user"].map { Describe.value($0) } ?? "-", Describe.value(kept["updatedAt"]),
          ]
        }
      )
    }
    if !session.output.asJSON, result["sessions"]?.array?.isEmpty ?? true {
      session.output.note("no sign-on is kept")
    }
  }
}
