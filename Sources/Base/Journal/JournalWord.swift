/// A word of the program's own vocabulary: one of a closed list, whatever came from outside.
///
/// Unlike text, such a word can be part of a report that leaves the machine.
package protocol JournalWord: CaseIterable, RawRepresentable<String>, CustomStringConvertible, Sendable {
}

extension JournalWord {
  package var description: String { rawValue }
}
