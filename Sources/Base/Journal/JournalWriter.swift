/// Writes lines as far as they are taken and are not too many of one kind, and tells how many were not written.
struct JournalWriter {
  private let output: JournalOutput
  private var rate = JournalRate()
  /// Lines for which there was no room.
  private var lost = 0

  init(_ output: JournalOutput) { self.output = output }

  /// Writes a line; one of a kind that is limited only as often as that allows.
  mutating func write(
    _ level: Journal.Level,
    _ message: StaticString,
    _ fields: Journal.Fields,
    at now: Duration,
    isLimited: Bool
  ) {
    for omission in rate.takeOmissions(at: now) {
      write(.warning, "lines of one kind were left out", ["line": omission.message, "count": omission.count])
    }
    guard !isLimited || rate.allows(message, at: now) else { return }
    write(level, message, fields)
  }

  private mutating func write(_ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields) {
    if lost > 0, output.write(Self.line(.warning, "lines were lost, since nobody took them", ["count": lost]))
    {
      lost = 0
    }
    if lost > 0 || !output.write(Self.line(level, message, fields)) { lost += 1 }
  }

  private static func line(_ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields)
    -> String
  {
    fields.reduce("<\(level.rawValue)>\(message)") { line, field in
      line + " \(field.key)=\(Journal.safe(field.value.description))"
    }
  }
}
