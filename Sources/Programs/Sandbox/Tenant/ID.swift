import FoundationEssentials
import OpenSSL

/// The identifier of one kind of thing, so that a user's cannot be taken for a device's.
struct ID<Kind>: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}

extension ID {
  /// A fresh identifier in the form of a random UUID, RFC 9562 section 5.4.
  static func random() -> ID { ID(UUID().uuidString.lowercased()) }
}

/// Random text of so many characters of an alphabet, for codes and tokens.
func randomText(_ count: Int, of alphabet: String) -> String {
  let characters = Array(alphabet)
  return String((0..<count).map { _ in characters[Int.random(in: 0..<characters.count)] })
}

/// Random bytes of which something secret is made.
func randomSecret(_ count: Int) throws(Refusal) -> [UInt8] {
  do { return try randomBytes(count) } catch { throw .unexpected }
}

let digits = "0123456789"
/// Digits and upper-case letters, which codes are made of.
let codeAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/// Letters and digits, for tokens: 43 of them are 256 bits.
let tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/// Whether two secrets are the same, in a time that does not tell how far they are.
func isSameSecret(_ given: String, _ expected: String) -> Bool {
  constantTimeEqual(Array(given.utf8), Array(expected.utf8))
}
