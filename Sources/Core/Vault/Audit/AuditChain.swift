internal import ControlAPI
internal import JSON
internal import OpenSSL
internal import Time

/// What ties an owner's entries together: the link of each is a hash of the link before it and of what the entry says,
/// and from where to where the links go is sealed.
///
/// Whoever writes the file without the key can make links, but no seal.
struct AuditChain: Equatable {
  /// The sequence of the last entry that is gone, after which the chain begins.
  var start: Int
  /// The link before the first entry that is left.
  var checkpoint = noLink
  /// How many entries were ever sealed; it only grows.
  var count = 0
  /// The link of the last entry that was sealed.
  var head = noLink
  /// By the sealer over everything else; empty as long as there is none.
  var seal: [UInt8] = []

  static let noLink = [UInt8](repeating: 0, count: HashAlgorithm.sha256.byteCount)

  /// Whether it never had an entry, or an erasure left nothing of those that it had.
  var isBlank: Bool { checkpoint == Self.noLink && head == Self.noLink }

  /// The link of an entry after another's.
  static func link(after last: [UInt8], _ entry: AuditEntry) throws -> [UInt8] {
    let members: JSON = [
      .string(entry.id), .int(Int(entry.owner)), .int(Int(entry.at.milliseconds)), .string(entry.method),
      entry.target.map { .string($0) } ?? .null, .string(entry.outcome),
    ]
    return try digest(last + members.serialized, .sha256)
  }

  /// What the seal is made over, beside whose chain it is.
  var sealed: [String] { ["\(start)", Self.text(checkpoint), "\(count)", Self.text(head)] }

  /// A link as an array of numbers describes itself, in a small part of the time that this takes it.
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

/// What all chains have in common, so that none can be taken away whole.
struct AuditTotal: Equatable {
  /// The sequence of the last entry that was recorded before there was a key; no chain begins earlier.
  var start: Int
  /// The sum of the counts of all chains.
  var count: Int
  var seal: [UInt8]

  var sealed: [String] { ["\(start)", "\(count)"] }
}
