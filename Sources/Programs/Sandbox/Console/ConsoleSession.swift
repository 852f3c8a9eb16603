import Time

/// Somebody who has shown the administrator's token to the console, known by a cookie.
struct ConsoleSession: Stored {
  let id = ID<ConsoleSession>.random()
  /// What the cookie holds.
  let cookie = randomText(43, of: tokenAlphabet)
  /// What every form of its pages holds, so that no page of somebody else's can send one.
  let formToken = randomText(43, of: tokenAlphabet)
  let end: Timestamp

  static let maximumCount = 100
  private static let seconds = 12 * 3600

  fileprivate init(at now: Timestamp) { end = now.adding(seconds: Self.seconds) }
}

/// A word that lets a browser enter once, instead of the token.
struct ConsoleTicket: Stored {
  let id = ID<ConsoleTicket>.random()
  let word = randomText(43, of: tokenAlphabet)
  fileprivate let end: Timestamp

  static let maximumCount = 20
  private static let seconds = 120

  fileprivate init(at now: Timestamp) { end = now.adding(seconds: Self.seconds) }
}

/// Who may use the console, by the real clock: whoever moves the other one goes on.
struct ConsoleGuests {
  private var sessions = Shelf<ConsoleSession>()
  private var tickets = Shelf<ConsoleTicket>()

  func session(_ cookie: String?, at now: Timestamp) -> ConsoleSession? {
    guard let cookie else { return nil }
    return sessions.first { isSameSecret(cookie, $0.cookie) && now < $0.end }
  }

  mutating func enter(at now: Timestamp) -> ConsoleSession {
    let session = ConsoleSession(at: now)
    sessions.put(session)
    return session
  }

  mutating func leave(_ session: ConsoleSession) { sessions[session.id] = nil }

  mutating func makeTicket(at now: Timestamp) -> ConsoleTicket {
    let ticket = ConsoleTicket(at: now)
    tickets.put(ticket)
    return ticket
  }

  /// Whether the word is one that was given out, which it is no longer then.
  mutating func redeem(_ word: String, at now: Timestamp) -> Bool {
    guard let ticket = tickets.first(where: { isSameSecret(word, $0.word) }) else { return false }
    tickets[ticket.id] = nil
    return now < ticket.end
  }
}
