internal import Text

/// An authentication code: eight characters of 0–9 and A–Z.
package struct AuthenticationCode: Sendable {
  /// The code in upper case.
  package let text: String

  private static let parameter = "authentication_code="

  /// Reads a code in either case, alone or within a URI that holds `authentication_code=`; `nil` if there is none.
  package init?(_ input: String) {
    var candidate = input.trimmed
    if let start = candidate.indices.first(where: { candidate[$0...].hasPrefix(Self.parameter) }) {
      let before = candidate[..<start].last
      guard before == "?" || before == "&" else { return nil }
      candidate = candidate[start...].dropFirst(Self.parameter.count).prefix { $0 != "&" && $0 != "#" }
    }
    // Only ASCII is put into upper case: a sharp s would become two letters.
    guard candidate.utf8.count == 8, candidate.allSatisfy(\.isASCII) else { return nil }
    text = candidate.uppercased()
    guard text.utf8.allSatisfy(PairingKey.isAllowed) else { return nil }
  }
}
