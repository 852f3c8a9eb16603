internal import ControlAPI
internal import ControlClient
internal import Usage

/// Where the words come from that a command can be given.
struct Candidates: Sendable {
  let find: @Sendable (Session) throws(Failure) -> [Candidate]

  static let accounts = Candidates { (session) throws(Failure) in
    let accounts = try session.call(AccountList())
    return accounts.map { account in
      let name = account.nickname ?? account.label
      let isPlain = "\(name)" as SafeText == SafeText(stringLiteral: name) && !name.hasPrefix("-")
      let isOnly = accounts.filter { $0.isCalled(name.lowercased()) }.count == 1
      return Candidate(
        isPlain && isOnly ? name : account.id,
        "\(account.kind.name) \(account.issuer ?? account.user?.username ?? account.label)"
      )
    }
  }

  static let pendingRequests = Candidates { (session) throws(Failure) in
    try session.call(NotificationList(state: .pending)).filter(\.canBeAnswered).map {
      Candidate($0.id, NotificationText.row($0).dropFirst().joined(separator: " ").text)
    }
  }

  static let pairings = Candidates { (session) throws(Failure) in
    try session.call(PairingList()).map { Candidate($0.id, $0.user.username ?? $0.user.id) }
  }

  static let methods = Candidates { (_) throws(Failure) in
    MethodTable.all.map { Candidate($0.name, $0.summary) }
  }

  static let sessions = Candidates { (session) throws(Failure) in
    try session.call(SessionList()).map { Candidate($0.id, $0.issuer) }
  }

  /// Words that are always the same.
  static func of(_ words: [String]) -> Candidates {
    Candidates { (_) throws(Failure) in words.map { Candidate($0) } }
  }
}
