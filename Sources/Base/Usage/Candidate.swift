/// A word that may stand where one is wanted, and what it means.
package struct Candidate: Sendable, Equatable {
  package let word: String
  package let meaning: String

  package init(_ word: String, _ meaning: String = "") { (self.word, self.meaning) = (word, meaning) }
}
