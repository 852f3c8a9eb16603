import JSON

/// The announcement of a started sandbox for a user at a terminal.
enum Welcome {
  static func text(_ announcement: JSON) -> String {
    func value(_ name: String) -> String { announcement[name]?.string ?? "" }
    let url = value("url")
    let users = (announcement["users"]?.array ?? []).map { user in
      (user["username"]?.string ?? "", user["password"]?.string ?? "")
    }
    let rows =
      [("URL", url), ("issuer", value("issuer")), ("client_id", value("clientId")), ("user", "password")]
      + users
    let width = rows.map(\.0.count).max() ?? 0
    let table = rows.map { name, value in
      "\(name)\(String(repeating: " ", count: width + 2 - name.count))\(value)\n"
    }
    let user = users.first?.0 ?? "USER"
    return """
      \(table.joined())
      In another terminal:
        pingone-sandbox console --url \(url)
        pingone-sandbox key \(user) --url \(url)
        pingone-sandbox push \(user) --url \(url)

      """
  }
}
