internal import ControlAPI
internal import JSON
internal import OpenSSL
internal import Time

/// The hash chain of an owner's entries.
///
/// Each link is a hash of the previous link and the entry. The seal covers both ends of the chain and the
/// count.
///
/// A process with write access to the file, but without the key, can compute links, but no seals.
struct AuditChain: Equatable {
  /// The sequence number of the last removed entry; the chain begins after it.
  var start: Int
  /// The link of the last removed entry.
  var checkpoint = noLink
  /// Number of entries that were ever sealed; it only grows.
  var count = 0
  /// The link of the last entry that was sealed.
  var head = noLink
  /// The sealer's keyed digest of the other fields; empty before the first seal.
  var seal: [UInt8] = []

  static let noLink = [UInt8](repeating: 0, count: HashAlgorithm.sha256.byteCount)

  /// True if the chain never had an entry, or an erasure removed all of them.
  var isBlank: Bool { checkpoint == Self.noLink && head == Self.noLink }

  /// Returns the link of an entry that follows the link `last`.
  static func link(after last: [UInt8], _ entry: AuditEntry) throws -> [UInt8] {
    let members: JSON = [
      .string(entry.id), .int(Int(entry.owner)), .int(Int(entry.at.milliseconds)), .string(entry.method),
      entry.target.map { .string($0) } ?? .null, .string(entry.outcome),
    ]
    return try digest(last + members.serialized, .sha256)
  }

  /// The values that the seal covers, besides the owner.
  var sealed: [String] { ["\(start)", Self.text(checkpoint), "\(count)", Self.text(head)] }

  /// Formats a link like the description of an array of numbers, but much faster.
  private static func text(_ link: [UInt8]) -> String {
    let zero = UInt8(ascii: "0")
    var text = [UInt8(ascii: "[")]
    text.reserveCapacity(2 + 5 * link.count)
    for number in link {
      if text.count > 1 { text += ", ".utf8 }
      if number >= 100 { text.append(zero + number / 100) }
      if number >= 10 { text.append(zero + number / 10 % 10) }
      text.append(zero + number % 10)
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }
}

/// The total of all chains, which reveals the removal of a whole chain.
struct AuditTotal: Equatable {
  /// The sequence number of the last entry before the first seal; no chain begins earlier.
  var start: Int
  /// The sum of the counts of all chains.
  var count: Int
  var seal: [UInt8]

  var sealed: [String] { ["\(start)", "\(count)"] }
}
