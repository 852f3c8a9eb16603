internal import Journal

/// What is told to an organization's support: lines that the program wrote itself, and nothing that came from
/// outside.
///
/// It is made of journal entries alone, which cannot hold text that was not in the program when it was built.
package struct LogReport: Sendable {
  package let text: String

  private static let longest = 32 * 1024

  /// A report of entries, the newest of which are there in any case.
  init(head: [JournalEntry], _ entries: [JournalEntry]) {
    let begin = head.map(\.text)
    var room = Self.longest - begin.reduce(0) { $0 + $1.utf8.count + 1 }
    var lines: [String] = []
    for entry in entries.reversed() {
      let line = entry.text
      room -= line.utf8.count + 1
      guard room >= 0 else { break }
      lines.append(line)
    }
    text = (begin + lines.reversed()).joined(separator: "\n") + "\n"
  }
}
