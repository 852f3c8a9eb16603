/// Keeps lines of one kind from pushing out all others: so many of them are written in a while, the rest is counted.
struct JournalRate {
  /// What was left out of one kind of lines.
  struct Omission {
    let message: StaticString
    let count: Int
  }

  private struct Kind {
    let message: StaticString
    var begin: Duration
    var written = 0
    var omitted = 0
  }

  static let most = 50
  static let period = Duration.seconds(10)

  /// The kinds by the place of their literal, of which a program has only so many.
  private var kinds: [UnsafePointer<UInt8>: Kind] = [:]

  /// Whether a line may be written.
  mutating func allows(_ message: StaticString, at now: Duration) -> Bool {
    var kind = kinds[message.utf8Start] ?? Kind(message: message, begin: now)
    defer { kinds[message.utf8Start] = kind }
    if now - kind.begin >= Self.period, kind.omitted == 0 { (kind.begin, kind.written) = (now, 0) }
    guard kind.written < Self.most else {
      kind.omitted += 1
      return false
    }
    kind.written += 1
    return true
  }

  /// What was left out in periods that are over; it is told once.
  mutating func takeOmissions(at now: Duration) -> [Omission] {
    var omissions: [Omission] = []
    for (place, kind) in kinds where kind.omitted > 0 && now - kind.begin >= Self.period {
      omissions.append(Omission(message: kind.message, count: kind.omitted))
      kinds[place] = nil
    }
    return omissions
  }
}
