package import Glibc

/// What a sealed value is and whose, which it is bound to: one that is moved elsewhere does not open.
///
/// The name is stable whatever tables and columns are called, so that a table can be built anew without opening what
/// it holds.
package struct SealLabel: Sendable {
  private let name: StaticString
  private let row: String
  let owner: uid_t

  package init(_ name: StaticString, row: String, owner: uid_t) {
    (self.name, self.row, self.owner) = (name, row, owner)
  }

  /// The data that authenticates the place, beside the ciphertext.
  var bytes: [UInt8] { Array("mfad/1/\(name)/\(row)/\(owner)".utf8) }
}
